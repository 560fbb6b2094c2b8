/** What the tests share: a device, an API that answers from a table, what jsdom lacks. */
import { vi } from 'vitest'

import type { Device } from './api/types'

export function aDevice(change: Partial<Device> = {}): Device {
  return {
    serial: 'A1',
    hardware_serial: 'A1',
    alias: '',
    tags: [],
    model: 'Pixel 7',
    android: '14',
    state: 'ready',
    reason: null,
    battery: null,
    since: '2026-03-10T12:00:00Z',
    lease: null,
    has_pin: false,
    storage_mb: null,
    width: 1080,
    height: 2400,
    ...change,
  }
}

export interface Asked {
  method: string
  path: string
  body: unknown
}

/** Answer requests from `answers` ("GET /api/x": body, or [status, body]); what was asked is kept. */
export function serve(answers: Record<string, unknown>): Asked[] {
  const asked: Asked[] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    const method = init.method ?? 'GET'
    asked.push({ method, path, body: init.body ? JSON.parse(String(init.body)) : null })
    const found = answers[`${method} ${path}`] ?? [404, { error: { code: 'not_found', message: path } }]
    const [status, body] = Array.isArray(found) ? (found as [number, unknown]) : [200, found]
    return new Response(JSON.stringify(body), { status })
  })
  return asked
}

/** jsdom draws nothing, so it opens no dialogs. */
export function allowDialogs(): void {
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true
  }
}

export const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
