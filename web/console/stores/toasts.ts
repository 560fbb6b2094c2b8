/** Short messages in the corner; errors stay longer and can be closed. */
import { reactive } from 'vue'

import { ApiError } from '../api/client'
import { t } from '../i18n'

export interface Toast {
  id: number
  kind: 'info' | 'error'
  message: string
  hint: string
}

const STAY_MS = { info: 4_000, error: 12_000 }
const MOST = 4

export const toasts = reactive<Toast[]>([])
let last = 0

export function toast(message: string, kind: Toast['kind'] = 'info', hint = ''): void {
  const same = toasts.find((other) => other.message === message)
  if (same) dismiss(same.id)
  last += 1
  const id = last
  toasts.push({ id, kind, message, hint })
  if (toasts.length > MOST) toasts.shift()
  setTimeout(() => dismiss(id), STAY_MS[kind])
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
