/** What both libraries do alike: find, choose one, write it anew, forget it. */
import { computed, ref, type Ref } from 'vue'

import { t } from '../../i18n'
import { forgetOne } from '../../stores/memory'
import { toast } from '../../stores/toasts'
import { useSearch } from '../listing'

/** From this confidence on a memory counts as reliable. */
export const TRUSTED = 0.7

export function useLibrary<T extends { id: string }>(collection: string, changed: () => void) {
  const listing = useSearch<T>(collection)
  const chosenId = ref('')
  /** What is being written: null for a new one. */
  const editing = ref() as Ref<T | null | undefined>
  const forgetting = ref(false)
  const chosen = computed(() => listing.items.value?.find((each) => each.id === chosenId.value))

  async function act(work: Promise<unknown>) {
    const done = await listing.act(work)
    if (done) changed()
    return done
  }

  async function saved() {
    toast(t('memory.savedOne'))
    await listing.load()
    changed()
  }

  async function forget() {
    forgetting.value = false
    if (await act(forgetOne(collection, chosenId.value))) toast(t('memory.forgotten'))
  }

  /** Ask again for all of the page, after nobody answered. */
  async function retry() {
    await listing.load()
    if (!listing.failed.value) changed()
  }

  return { ...listing, chosenId, chosen, editing, forgetting, act, saved, forget, retry }
}
