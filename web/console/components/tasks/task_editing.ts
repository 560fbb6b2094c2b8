/**
 * A task as one edits it: read, changed, and saved on top of what was seen.
 *
 * What is not saved outlives a visit to another page, and closing the window asks first.
 */
import { computed, onBeforeUnmount, onMounted, ref, watch } from 'vue'

import { api, ApiError } from '../../api/client'
import type { Draft, Task, TaskSpec } from '../../api/types'
import { t } from '../../i18n'
import { go, page } from '../../stores/page'
import { mayOperate } from '../../stores/session'
import {
  blankTask, createTask, pauseTask, readTask, removeTask, same, saveTask, specOf, unsaved,
} from '../../stores/tasks'
import { report, toast } from '../../stores/toasts'

const NEW = 'new'

/** Edit the task of an id, `new` for one that is not there yet; `readable` says whether what is typed can be sent. */
export function useTaskEditing(id: string, readable: () => boolean) {
  const task = ref<Task | null>(null)
  const base = ref<TaskSpec>(blankTask())
  const revision = ref(0)
  const spec = ref<TaskSpec>(blankTask())
  const draft = ref<Draft | null>(null)
  const failed = ref<ApiError | null>(null)
  const refused = ref<ApiError | null>(null)
  const ready = ref(false)
  const saving = ref(false)
  const conflict = ref(false)
  const restored = ref(false)

  const isNew = id === NEW
  const dirty = computed(() => ready.value && !same(base.value, spec.value))

  const wantsDraft = () => Boolean(new URLSearchParams(page.query).get('draft'))

  onMounted(async () => {
    const kept = unsaved.get(id)
    try {
      if (isNew) await begin()
      else show(await readTask(id))
      if (kept && !wantsDraft()) {
        restored.value = !same(base.value, kept.spec)
        spec.value = specOf(kept.spec)
        base.value = specOf(kept.base)
        revision.value = kept.revision
      }
      ready.value = true
    } catch (error) {
      if (error instanceof ApiError) failed.value = error
      else report(error)
    }
  })

  /** A new task: empty, or the draft that an exploration left. */
  async function begin() {
    if (!wantsDraft()) return
    draft.value = await api<Draft>('/api/agent/draft')
    if (draft.value.draft) spec.value = { ...blankTask(), ...draft.value.draft }
  }

  function show(now: Task) {
    task.value = now
    base.value = specOf(now)
    revision.value = now.revision
    spec.value = specOf(now)
    refused.value = null
    restored.value = false
    unsaved.delete(id)
  }

  watch(spec, (now) => {
    if (!ready.value) return
    if (dirty.value) unsaved.set(id, { spec: specOf(now), base: base.value, revision: revision.value })
    else unsaved.delete(id)
  }, { deep: true })

  async function save(onTopOf = revision.value) {
    if (saving.value || !readable()) return
    saving.value = true
    refused.value = null
    try {
      const now = task.value ? await saveTask(id, spec.value, onTopOf) : await createTask(spec.value)
      unsaved.delete(id)
      toast(t('task.saved', { n: now.revision }))
      if (isNew) go(`/tasks/${now.task_id}`, true)
      else show(now)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'task_changed') conflict.value = true
      else if (error instanceof ApiError) refused.value = error
      else report(error)
    } finally {
      saving.value = false
    }
  }

  async function keepMine(onTopOf: number) {
    conflict.value = false
    await save(onTopOf)
  }

  function takeTheirs(now: Task) {
    conflict.value = false
    show(now)
  }

  async function remove() {
    try {
      await removeTask(id)
      unsaved.delete(id)
      go('/tasks', true)
    } catch (error) {
      report(error)
    }
  }

  async function pause() {
    if (!task.value) return
    const now = await pauseTask(id, !task.value.paused).catch((error: unknown) => (report(error), null))
    if (now) task.value = now
  }

  function leave(event: BeforeUnloadEvent) {
    if (dirty.value) event.preventDefault()
  }

  function onKey(event: KeyboardEvent) {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    if (dirty.value && mayOperate()) void save()
  }

  onMounted(() => {
    addEventListener('beforeunload', leave)
    addEventListener('keydown', onKey)
  })
  onBeforeUnmount(() => {
    removeEventListener('beforeunload', leave)
    removeEventListener('keydown', onKey)
  })

  return {
    task, base, revision, spec, draft, failed, refused, ready, saving, conflict, restored, isNew, dirty,
    show, save, keepMine, takeTheirs, remove, pause,
  }
}
