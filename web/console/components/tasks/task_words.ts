/** Tasks and their runs in words and tones. */
import type { TaskRun, TaskStatus, TaskTargets } from '../../api/types'
import { t } from '../../i18n'
import { nameOf } from '../../stores/devices'

export const STATUSES: TaskStatus[] = ['queued', 'running', 'success', 'partial', 'failed', 'stopped', 'needs_human']

export const TONE: Record<TaskStatus, 'off' | 'info' | 'good' | 'warn' | 'bad'> = {
  queued: 'off', running: 'info', success: 'good', partial: 'warn', failed: 'bad', stopped: 'off', needs_human: 'warn',
}

export function statusWords(status: TaskStatus): string {
  return t(`taskStatus.${status}`)
}

export function targetWords(targets: TaskTargets): string {
  if (targets.serials?.length) return targets.serials.map(nameOf).join(', ')
  if (targets.tags?.length) return targets.tags.map((tag) => t('targets.tag', { tag })).join(', ')
  return typeof targets.any === 'number' && targets.any > 1 ? t('targets.anyOf', { n: targets.any }) : t('targets.any')
}

/** A run's phone and row, as a line's name. */
export function placeWords(run: Pick<TaskRun, 'serial' | 'row' | 'number'>): string {
  const phone = run.serial ? nameOf(run.serial) : t('runs.noPhone')
  return run.row === null ? phone : `${phone} · ${t('runs.row', { n: run.row + 1 })}`
}
