/** What both libraries do alike: find, choose one, write it anew, forget it. */
import { computed, ref, watch, type Ref } from 'vue'

import { api } from '../../api/client'
import { t } from '../../i18n'
import { forgetOne } from '../../stores/memory'
import { go, page } from '../../stores/page'
import { report, toast } from '../../stores/toasts'
import { useSearch } from '../listing'

/** From this confidence on a memory counts as reliable. */
export const TRUSTED = 0.7

export function useLibrary<T extends { id: string }>(collection: string, changed: () => void) {
  const listing = useSearch<T>(collection)
  const part = collection.split('/').at(-1)
  const place = `/memory/${part}`
  /** Which one is chosen stands in the address, so that a card can lead to it. */
  const chosenId = computed({
    get: () => (page.view === 'memory' && page.part === part ? page.sub : ''), // also while one is leaving
    set: (id) => go(id ? `${place}/${encodeURIComponent(id)}` : place, true),
  })
  /** The chosen one, where the list has not come to it yet. */
  const apart = ref(null) as Ref<T | null>
  /** What is being written: null for a new one. */
  const editing = ref() as Ref<T | null | undefined>
  const forgetting = ref(false)
  const chosen = computed(() =>
    [...(listing.items.value ?? []), apart.value].find((each) => each?.id === chosenId.value) ?? undefined,
  )

  /** Read what an address names and the list has not; what is not there any more is said. */
  async function fetchChosen() {
    const id = chosenId.value
    if (!id || listing.items.value?.some((each) => each.id === id)) return
    try {
      const found = await api<T>(`${collection}/${encodeURIComponent(id)}`)
      if (chosenId.value === id) apart.value = found
    } catch (error) {
      if (chosenId.value !== id) return // another was chosen while it was read
      report(error)
      chosenId.value = ''
    }
  }
  watch([chosenId, listing.items], () => listing.items.value && void fetchChosen(), { immediate: true })

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
    const id = chosenId.value
    chosenId.value = ''
    if (await act(forgetOne(collection, id))) toast(t('memory.forgotten'))
  }

  /** Ask again for all of the page, after nobody answered. */
  async function retry() {
    await listing.load()
    if (!listing.failed.value) changed()
  }

  return { ...listing, chosenId, chosen, editing, forgetting, act, saved, forget, retry }
}
