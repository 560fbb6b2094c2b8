/** A collection of the API as a page shows it: not read yet, read, or refused. */
import { onMounted, ref, watch, type Ref } from 'vue'

import { api, ApiError } from '../api/client'
import { report } from '../stores/toasts'

const TYPING_MS = 250

interface Page<T> {
  items: T[]
  next: string | null
}

/** Read a collection when the component is there; `more` pages on, `act` changes something first. */
export function useListing<T, P extends Page<T> = Page<T>>(address: () => string) {
  const items = ref(null) as Ref<T[] | null>
  const next = ref<string | null>(null)
  /** The page that was read last, with what it says beside its items. */
  const page = ref(null) as Ref<P | null>
  const failed = ref<ApiError | null>(null)
  const reading = ref(false)
  let newest = 0

  async function read(cursor: string | null): Promise<void> {
    newest += 1
    const mine = newest
    reading.value = true
    failed.value = null
    try {
      const url = cursor ? `${address()}${address().includes('?') ? '&' : '?'}cursor=${cursor}` : address()
      const answer = await api<P>(url)
      if (mine !== newest) return // a later question has been asked meanwhile
      items.value = cursor ? [...(items.value ?? []), ...answer.items] : answer.items
      next.value = answer.next
      page.value = answer
    } catch (error) {
      if (mine !== newest) return
      if (!cursor) items.value = null // what stood there answers another question
      if (error instanceof ApiError) failed.value = error
      else report(error)
    } finally {
      if (mine === newest) reading.value = false
    }
  }

  const load = () => read(null)

  /** Do something and read the list anew; what went wrong is said. */
  async function act(work: Promise<unknown>): Promise<boolean> {
    try {
      await work
      return true
    } catch (error) {
      report(error)
      return false
    } finally {
      await load()
    }
  }

  onMounted(load)
  return { items, next, page, failed, reading, load, more: () => read(next.value), act }
}

/** A collection that words are looked for in, once the person pauses. */
export function useSearch<T>(collection: string) {
  const words = ref('')
  const listing = useListing<T>(() => `${collection}?q=${encodeURIComponent(words.value)}`)
  let typing = 0
  watch(words, () => {
    clearTimeout(typing)
    typing = window.setTimeout(() => void listing.load(), TYPING_MS)
  })
  return { words, ...listing }
}
