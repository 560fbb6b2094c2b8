/** The present, for ages on the screen; it moves every few seconds. */
import { ref } from 'vue'

const TICK_MS = 5_000

export const now = ref(Date.now())

setInterval(() => {
  now.value = Date.now()
}, TICK_MS)
