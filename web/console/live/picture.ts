/**
 * The live picture of one phone, while somebody can see it.
 *
 * States: `off` no phone, `waiting` for the first picture, `live`, `failed` with words. A stream that
 * ended or failed is asked for again, more and more slowly.
 */
import { onBeforeUnmount, reactive, watch } from 'vue'

import { ApiError } from '../api/client'
import { t } from '../i18n'
import { liveUrl } from '../stores/devices'
import { readPictures } from './mjpeg'

export interface LivePicture {
  state: 'off' | 'waiting' | 'live' | 'failed'
  src: string
  width: number
  height: number
  fps: number
  message: string
  hint: string
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000]
const FPS_MS = 2_000

/** Follow the phone that `serial` names; an empty name stops it. */
export function usePicture(serial: () => string): { picture: LivePicture; retry: () => void } {
  const picture = reactive<LivePicture>({
    state: 'off', src: '', width: 0, height: 0, fps: 0, message: '', hint: '',
  })
  let abort = new AbortController()
  let timer = 0
  let failures = 0
  let came: number[] = []

  function stop() {
    abort.abort()
    clearTimeout(timer)
  }

  function restart() {
    stop()
    abort = new AbortController()
    const wanted = document.hidden ? '' : serial()
    if (!wanted) {
      picture.state = 'off'
      return
    }
    if (picture.state !== 'live') picture.state = 'waiting'
    void read(wanted, abort.signal)
  }

  async function read(wanted: string, signal: AbortSignal) {
    try {
      await readPictures(liveUrl(wanted), signal, show)
      fail(null)
    } catch (error) {
      if (!signal.aborted) fail(error)
    }
  }

  function fail(error: unknown) {
    const known = error instanceof ApiError ? error : null
    if (error && !known) console.warn('the live picture broke off', error)
    const words = { message: known?.message ?? t('live.broken'), hint: known?.hint ?? '' }
    Object.assign(picture, { state: 'failed', fps: 0 }, words)
    timer = window.setTimeout(restart, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)])
    failures += 1
  }

  function show(blob: Blob) {
    const old = picture.src
    const now = performance.now()
    came = [...came.filter((time) => now - time < FPS_MS), now]
    failures = 0
    picture.src = URL.createObjectURL(blob)
    picture.fps = Math.round((came.length * 1000) / FPS_MS)
    picture.state = 'live'
    // the old picture is on the screen until the new one is decoded
    if (old) setTimeout(() => URL.revokeObjectURL(old), 1_000)
  }

  function forget() {
    picture.state = 'off'
    picture.src = ''
    failures = 0
    restart()
  }

  watch(serial, forget, { immediate: true })
  document.addEventListener('visibilitychange', restart)
  onBeforeUnmount(() => {
    stop()
    document.removeEventListener('visibilitychange', restart)
  })
  return { picture, retry: forget }
}
