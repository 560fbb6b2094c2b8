/**
 * Keep a phone in this person's hands.
 *
 * The server lends a phone for half a minute; while the page is open and the phone was taken over
 * here, it is asked for again and again. Closing the page gives it back by itself.
 */
import { onBeforeUnmount, reactive } from 'vue'

import { release, takeOver } from '../stores/devices'
import { report } from '../stores/toasts'

const AGAIN_MS = 10_000

export function useHold() {
  const hold = reactive({ serial: '', changing: false })
  let timer = 0

  function forget() {
    clearInterval(timer)
    hold.serial = ''
  }

  async function renew() {
    await takeOver(hold.serial).catch((error: unknown) => {
      forget()
      report(error)
    })
  }

  async function change(work: () => Promise<unknown>) {
    hold.changing = true
    await work().catch(report)
    hold.changing = false
  }

  const take = (serial: string) =>
    change(async () => {
      await takeOver(serial)
      forget()
      hold.serial = serial
      timer = window.setInterval(renew, AGAIN_MS)
    })

  const giveBack = (serial: string) =>
    change(async () => {
      forget()
      await release(serial)
    })

  onBeforeUnmount(forget)
  return { hold, take, giveBack }
}
