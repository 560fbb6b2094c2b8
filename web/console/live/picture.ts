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
import { aboutOf, readPictures, type About, type Size } from './mjpeg'

export interface LivePicture {
  state: 'off' | 'waiting' | 'live' | 'failed'
  src: string
  width: number
  height: number
  /** What the server tells of the picture that is shown. */
  about: About
  message: string
  hint: string
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000]

/** The screen's size in pixels, as the picture shows it; `known` is what the shelf says of the phone. */
export function screenOf(picture: Pick<LivePicture, 'width' | 'height' | 'about'>, known: Size): Size {
  if (picture.about.screen) return picture.about.screen
  const { width, height } = known
  const turned = Boolean(picture.width) && picture.width > picture.height !== width > height
  return turned ? { width: height, height: width } : { width, height }
}

/** Follow the phone that `serial` names; an empty name stops it. */
export function usePicture(serial: () => string): { picture: LivePicture; retry: () => void } {
  const picture = reactive<LivePicture>({
    state: 'off', src: '', width: 0, height: 0, about: aboutOf(''), message: '', hint: '',
  })
  let abort = new AbortController()
  let timer = 0
  let failures = 0

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
    Object.assign(picture, { state: 'failed' }, words)
    timer = window.setTimeout(restart, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)])
    failures += 1
  }

  function show(blob: Blob, about: About) {
    const old = picture.src
    const again = old && picture.state === 'live' && about.frame > 0 && about.frame === picture.about.frame
    failures = 0
    picture.about = about
    if (again) return
    picture.src = URL.createObjectURL(blob)
    picture.state = 'live'
    // the old picture is on the screen until the new one is decoded
    if (old) setTimeout(() => URL.revokeObjectURL(old), 1_000)
  }

  function forget() {
    picture.state = 'off'
    picture.src = ''
    picture.about = aboutOf('')
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
