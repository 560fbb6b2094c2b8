/** A phone that is away is looked for again, and what came of it is said. */
import { ref } from 'vue'

import type { Device } from '../api/types'
import { t } from '../i18n'
import { label, reconnect } from '../stores/devices'
import { report, toast } from '../stores/toasts'

export function useReconnect(device: () => Device) {
  const reconnecting = ref(false)

  async function again() {
    reconnecting.value = true
    try {
      await reconnect(device().serial)
      toast(t('device.reconnected', { device: label(device()) }))
    } catch (error) {
      report(error)
    } finally {
      reconnecting.value = false
    }
  }

  return { reconnecting, again }
}
