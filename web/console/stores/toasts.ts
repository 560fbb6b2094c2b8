/** Short messages below the header; errors stay longer and can be closed. */
import { reactive } from 'vue'

import { ApiError } from '../api/client'
import { t } from '../i18n'

interface Toast {
  id: number
  kind: 'info' | 'error'
  message: string
  hint: string
  undo?: Undo
}

/** What takes back what was done, and the key that does the same. */
interface Undo {
  key: string
  act: () => void
}

const STAY_MS = { info: 4_000, error: 12_000 }
const MOST = 4
/** How long something can be taken back. */
export const UNDO_MS = 6_000

export const toasts = reactive<Toast[]>([])
let last = 0

/** Say something for a while; gives the number by which it can be dismissed earlier. */
export function toast(message: string, kind: Toast['kind'] = 'info', hint = '', undo?: Undo): number {
  const same = toasts.find((other) => other.message === message)
  if (same) dismiss(same.id)
  last += 1
  const id = last
  toasts.push({ id, kind, message, hint, undo })
  if (toasts.length > MOST) toasts.shift()
  setTimeout(() => dismiss(id), undo ? UNDO_MS : STAY_MS[kind])
  return id
}

export function dismiss(id: number): void {
  const at = toasts.findIndex((toast) => toast.id === id)
  if (at >= 0) toasts.splice(at, 1)
}

/** Show what went wrong, in the server's words where there are any. */
export function report(error: unknown): void {
  if (error instanceof ApiError) {
    if (error.status !== 401) toast(error.message, 'error', error.hint)
    return
  }
  console.error(error)
  toast(t('error.console'), 'error', error instanceof Error ? error.message : String(error))
}
