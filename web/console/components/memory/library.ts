/** What both libraries do alike: find, choose one, write it anew, forget it. */
import { computed, ref, type Ref } from 'vue'

import { forgetOne } from '../../stores/memory'
import { useSearch } from '../listing'

export function useLibrary<T extends { id: string }>(collection: string, changed: () => void) {
  const listing = useSearch<T>(collection)
  const chosenId = ref('')
  /** What is being written: null for a new one. */
  const editing = ref() as Ref<T | null | undefined>
  const forgetting = ref(false)
  const chosen = computed(() => listing.items.value?.find((each) => each.id === chosenId.value))

  async function act(work: Promise<unknown>) {
    if (await listing.act(work)) changed()
  }

  async function saved() {
    await listing.load()
    changed()
  }

  function forget() {
    forgetting.value = false
    return act(forgetOne(collection, chosenId.value))
  }

  return { ...listing, chosenId, chosen, editing, forgetting, act, saved, forget }
}
