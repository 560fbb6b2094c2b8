/** Fingers and keys on the live picture, as input for the phone. */
import type { Input } from '../api/types'

export interface Spot {
  x: number
  y: number
  time: number
}

export interface Frame {
  left: number
  top: number
  width: number
  height: number
}

const HOLD_MS = 500
const SLOP_PX = 8

/** Where a point of the window lies on the device, in its pixels. */
export function onDevice(spot: { x: number; y: number }, frame: Frame, device: { width: number; height: number }) {
  const part = (value: number, size: number) => Math.min(Math.max(value / size, 0), 1)
  return {
    x: Math.round(part(spot.x - frame.left, frame.width) * (device.width - 1)),
    y: Math.round(part(spot.y - frame.top, frame.height) * (device.height - 1)),
  }
}

/** What a touch from one spot to another means; the spots are in pixels of the window. */
export function gesture(
  down: Spot,
  up: Spot,
  frame: Frame,
  device: { width: number; height: number },
): Input {
  const from = onDevice(down, frame, device)
  const ms = Math.round(up.time - down.time)
  if (Math.hypot(up.x - down.x, up.y - down.y) > SLOP_PX) {
    const to = onDevice(up, frame, device)
    return { type: 'swipe', from: [from.x, from.y], to: [to.x, to.y], ms: Math.min(Math.max(ms, 60), 3_000) }
  }
  return { type: ms >= HOLD_MS ? 'long_press' : 'tap', ...from }
}

const KEYS: Record<string, string> = {
  Enter: 'enter',
  Backspace: 'delete',
  Escape: 'back',
}

/** The phone's name for a key that types nothing. */
export function keyName(key: string): string | undefined {
  return KEYS[key]
}
