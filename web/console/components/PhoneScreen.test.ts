import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reactive } from 'vue'

import { aboutOf } from '../live/mjpeg'
import type { LivePicture } from '../live/picture'
import { toasts } from '../stores/toasts'
import { aDevice, serve, settled } from '../testing'
import PhoneScreen from './PhoneScreen.vue'

const UPRIGHT = { width: 1080, height: 2400 }
const LYING = { width: 2400, height: 1080 }

function shown(screen = UPRIGHT, state = 'ok') {
  const picture = reactive<LivePicture>({
    state: 'live', src: 'blob:1', width: 0, height: 0, message: '', hint: '',
    about: { ...aboutOf(''), frame: 1, screen, state },
  })
  const page = mount(PhoneScreen, { props: { device: aDevice(), picture, touchable: true } })
  const glass = page.find('.screen')
  Object.assign(glass.element, {
    setPointerCapture: () => undefined,
    getBoundingClientRect: () => ({ left: 0, top: 0, width: 100, height: 100 }),
  })
  return { picture, page, glass }
}

beforeEach(() => {
  vi.stubGlobal('PointerEvent', MouseEvent)
})

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a touch on a turned phone is a point of the turned screen', async () => {
  const asked = serve({ 'POST /api/devices/A1/input': { ok: true } })
  const { glass } = shown(LYING)

  await glass.trigger('pointerdown', { clientX: 100, clientY: 50, button: 0 })
  await glass.trigger('pointerup', { clientX: 100, clientY: 50 })
  await settled()

  expect(asked.map((each) => each.body)).toEqual([{ type: 'tap', x: 2399, y: 540, screen: [2400, 1080] }])
})

test('a touch during which the phone was turned is not sent, and says so', async () => {
  const asked = serve({ 'POST /api/devices/A1/input': { ok: true } })
  const { glass, picture } = shown()
  const before = toasts.length

  await glass.trigger('pointerdown', { clientX: 50, clientY: 50, button: 0 })
  picture.about = { ...picture.about, screen: LYING }
  await glass.trigger('pointerup', { clientX: 50, clientY: 50 })
  await settled()

  expect(asked).toEqual([])
  expect(toasts).toHaveLength(before + 1)
})

test('a notice is not announced as the screen of the phone', () => {
  const picture = shown().page.find('img').attributes('alt')
  const notice = shown(UPRIGHT, 'screen_secure').page.find('img').attributes('alt')

  expect(picture).toContain('Pixel 7')
  expect(notice).not.toBe(picture)
})

test('where an agent touched is ringed for a moment, and a swipe at both ends', async () => {
  vi.useFakeTimers()
  const { page } = shown()
  const styles = () => page.findAll('.mark.agent').map((ring) => ring.attributes('style'))

  await page.setProps({ touch: { at: [0.5, 0.25], key: 'r 1' } })
  const tapped = styles()
  await page.setProps({ touch: { at: [0.5, 0.75], to: [0.5, 0.25], key: 'r 2' } })
  const swiped = styles()
  vi.runAllTimers()
  await page.vm.$nextTick()

  expect(tapped).toEqual(['left: 50%; top: 25%;'])
  expect(swiped).toEqual(['left: 50%; top: 75%;', 'left: 50%; top: 25%;'])
  expect(styles()).toEqual([])
  vi.useRealTimers()
})
