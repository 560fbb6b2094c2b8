import { expect, test } from 'vitest'

import { gesture, onDevice } from './gestures'

const frame = { left: 100, top: 50, width: 270, height: 600 }
const device = { width: 1080, height: 2400 }
const spot = (x: number, y: number, time: number) => ({ x, y, time })

test('a short touch is a tap in pixels of the device', () => {
  const event = gesture(spot(235, 350, 0), spot(237, 351, 90), frame, device)

  expect(event).toEqual({ type: 'tap', x: 540, y: 1200 })
})

test('a touch that stays is a long press', () => {
  const event = gesture(spot(235, 350, 0), spot(235, 350, 650), frame, device)

  expect(event).toMatchObject({ type: 'long_press' })
})

test('a touch that moves is a swipe that lasts as long', () => {
  const event = gesture(spot(235, 600, 0), spot(235, 200, 300), frame, device)

  expect(event).toEqual({ type: 'swipe', from: [540, 2199], to: [540, 600], ms: 300 })
})

test('a finger that leaves the picture stays on its edge', () => {
  const point = onDevice({ x: 5000, y: -20 }, frame, device)

  expect(point).toEqual({ x: 1079, y: 0 })
})
