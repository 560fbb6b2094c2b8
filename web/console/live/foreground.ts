/** Which app is in front on a phone, looked up now and then while its picture is shown. */
import { onBeforeUnmount, ref, watch, type Ref } from 'vue'

import { info } from '../stores/devices'

const LOOK_MS = 4_000

/** Look at once when `moment` changes, for example at each step of a run, else every few seconds. */
export function useForeground(serial: () => string, moment: () => unknown): Ref<string> {
  const front = ref('')
  let timer = 0

  async function look() {
    const wanted = serial()
    // the picture says louder that a phone does not answer; here a dash is enough
    const found = await info(wanted).catch(() => null)
    if (wanted === serial()) front.value = found?.package ?? ''
  }

  watch(
    serial,
    (wanted) => {
      clearInterval(timer)
      front.value = ''
      if (!wanted) return
      timer = window.setInterval(look, LOOK_MS)
      void look()
    },
    { immediate: true },
  )
  watch(moment, () => serial() && void look())
  onBeforeUnmount(() => clearInterval(timer))
  return front
}
