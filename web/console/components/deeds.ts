/** An entry of the audit log in words; what has none yet is said as it was asked. */
import type { Deed } from '../api/types'
import { isKey, t } from '../i18n'

export function deedWords(deed: Pick<Deed, 'action' | 'target'>): string {
  const key = `deed.${deed.action.replace('.', '_')}`
  return isKey(key) ? t(key) : deed.action
}

/** How it ended: what the guard or a rule refused is not a failure of ours. */
export function outcome(deed: Pick<Deed, 'status'>) {
  if (deed.status < 400) return { tone: 'good', word: 'ok' } as const
  if (deed.status < 500) return { tone: 'warn', word: 'refused' } as const
  return { tone: 'bad', word: 'failed' } as const
}
