/** Tasks and their runs: what is asked of the server, and what was changed here but not yet saved. */
import { onBeforeUnmount, onMounted, reactive } from 'vue'

import { api, send } from '../api/client'
import type {
  Differences, GroupStarted, Matrix, RevisionWhole, Task, TaskRun, TaskRunDetail, TaskSpec,
} from '../api/types'
import { subscribe } from '../live/hub'

export const TASKS = '/api/tasks'
export const RUNS = '/api/runs'

const at = (id: string) => `${TASKS}/${encodeURIComponent(id)}`
const group = (task: string, id: string) => `${at(task)}/groups/${encodeURIComponent(id)}`

interface Unsaved {
  spec: TaskSpec
  /** The task as it was when the changes began: what they are saved on top of. */
  base: TaskSpec
  revision: number
}

/** What a person has changed in a task and not saved, by its id; `new` for one that is not there yet. */
export const unsaved = reactive(new Map<string, Unsaved>())

export function blankTask(): TaskSpec {
  return { name: '', steps: [], inputs: {}, rows: [], targets: { any: true }, schedule: null, policy: {} }
}

/** What of a task a person can change. */
export function specOf(task: TaskSpec): TaskSpec {
  const { name, steps, inputs, rows, targets, schedule, policy } = task
  return JSON.parse(JSON.stringify({ name, steps, inputs, rows, targets, schedule, policy })) as TaskSpec
}

export function same(one: TaskSpec, other: TaskSpec): boolean {
  return JSON.stringify(specOf(one)) === JSON.stringify(specOf(other))
}

export function readTask(id: string): Promise<Task> {
  return api(at(id))
}

export function createTask(spec: TaskSpec): Promise<Task> {
  return send('POST', TASKS, spec)
}

/** Save on top of the revision that was seen; a conflict is an ApiError with code `task_changed`. */
export function saveTask(id: string, spec: TaskSpec, revision: number, note = ''): Promise<Task> {
  return send('PUT', at(id), { ...spec, revision, note })
}

export function removeTask(id: string): Promise<unknown> {
  return api(at(id), { method: 'DELETE' })
}

export function pauseTask(id: string, paused: boolean): Promise<Task> {
  return send('POST', `${at(id)}/${paused ? 'pause' : 'resume'}`)
}

export function importTask(text: string): Promise<Task> {
  return send('POST', `${TASKS}/import`, { text })
}

export const exportUrl = (id: string, format: 'yaml' | 'json') => `${at(id)}/export?format=${format}`

export interface Start {
  serials?: string[]
  inputs?: TaskSpec['inputs']
  first?: number
}

export function startTask(id: string, start: Start = {}): Promise<GroupStarted> {
  return send('POST', `${at(id)}/run`, start)
}

export async function upcoming(schedule: NonNullable<TaskSpec['schedule']>): Promise<string[]> {
  const asked = Object.entries(schedule).filter(([, value]) => value !== null && value !== undefined)
  const query = new URLSearchParams(asked.map(([key, value]) => [key, String(value)]))
  return (await api<{ items: string[] }>(`${TASKS}/next?${query}`)).items
}

export const revisionsUrl = (id: string) => `${at(id)}/revisions`

export function readRevision(id: string, number: number): Promise<RevisionWhole> {
  return api(`${at(id)}/revisions/${number}`)
}

export function differences(id: string, number: number, against?: number): Promise<Differences> {
  return api(`${at(id)}/revisions/${number}/diff${against ? `?against=${against}` : ''}`)
}

export function rollBack(id: string, number: number, revision: number): Promise<Task> {
  return send('POST', `${at(id)}/revisions/${number}/rollback`, { revision })
}

export const groupsUrl = (id: string) => `${at(id)}/groups`

export function readMatrix(task: string, id: string): Promise<Matrix> {
  return api(group(task, id))
}

export function retryFailed(task: string, id: string): Promise<GroupStarted> {
  return send('POST', `${group(task, id)}/retry`)
}

export function stopGroup(task: string, id: string): Promise<unknown> {
  return send('POST', `${group(task, id)}/stop`)
}

export function readRun(id: string): Promise<TaskRunDetail> {
  return api(`${RUNS}/${encodeURIComponent(id)}`)
}

export function stopRun(id: string): Promise<unknown> {
  return send('POST', `${RUNS}/${encodeURIComponent(id)}/stop`)
}

export const reportUrl = (id: string) => `${RUNS}/${encodeURIComponent(id)}/report`

/** What waits or goes on now, pushed by the server while some component follows it. */
const openRuns = reactive({ items: [] as TaskRun[], known: false })
let followers = 0
let unfollow = () => {}

export function useOpenRuns(): typeof openRuns {
  onMounted(() => {
    followers += 1
    if (followers === 1) unfollow = subscribe('tasks', (envelope) => Object.assign(openRuns, { items: envelope.data.items, known: true }))
  })
  onBeforeUnmount(() => {
    followers -= 1
    if (!followers) unfollow()
  })
  return openRuns
}

/** Follow one run with its steps. */
export function useRun(id: string, show: (run: TaskRunDetail) => void): void {
  let end = () => {}
  onMounted(() => {
    end = subscribe(`task_run:${id}`, (envelope) => show(envelope.data))
  })
  onBeforeUnmount(() => end())
}

/** Whether nothing will change any more. */
export function isOver(run: Pick<TaskRun, 'status'>): boolean {
  return run.status !== 'queued' && run.status !== 'running'
}
