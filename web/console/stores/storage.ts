/** Whether the server's disk has room for more pictures, as it says. */
import { ref } from 'vue'

import { subscribe } from '../live/hub'

export const diskLow = ref(false)

export function followStorage(): void {
  subscribe('storage', (envelope) => {
    diskLow.value = Boolean(envelope.data.low)
  })
}
