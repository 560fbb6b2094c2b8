/** Forget with a moment to take it back: the server is asked only when that has passed. */
import { onBeforeUnmount, onMounted, reactive } from 'vue'

import { t } from '../../i18n'
import { dismiss, toast, UNDO_MS } from '../../stores/toasts'

interface Waiting {
  timer: number
  toast: number
}

const KEY = 'Z'

/** `work` does it for good; it is also called when the page is left, and then nobody waits for it. */
export function useGrace(work: (id: string) => Promise<unknown>) {
  const waiting = reactive(new Map<string, Waiting>())

  function begin(id: string, said: string) {
    const undo = { key: KEY, act: () => takeBack(id) }
    const timer = window.setTimeout(() => void end(id), UNDO_MS)
    waiting.set(id, { timer, toast: toast(said, 'info', '', undo) })
  }

  function takeBack(id: string) {
    const held = waiting.get(id)
    if (!held) return
    clearTimeout(held.timer)
    dismiss(held.toast)
    waiting.delete(id)
    toast(t('memory.takenBack'))
  }

  /** Take back what was forgotten last. */
  function takeBackLast() {
    const last = [...waiting.keys()].at(-1)
    if (last) takeBack(last)
  }

  /** It stays hidden until the server has answered, so that it does not come back for a moment. */
  async function end(id: string) {
    const held = waiting.get(id)
    if (!held) return
    clearTimeout(held.timer)
    dismiss(held.toast)
    await work(id)
    waiting.delete(id)
  }

  function endAll() {
    for (const id of waiting.keys()) void end(id)
  }

  onMounted(() => addEventListener('pagehide', endAll))
  onBeforeUnmount(() => {
    removeEventListener('pagehide', endAll)
    endAll()
  })
  return { waiting, begin, takeBackLast }
}
