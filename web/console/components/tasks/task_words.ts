/** Tasks and their runs in words and tones. */
import type { IconName } from '../icons'
import type { TaskRun, TaskSchedule, TaskStatus, TaskTargets } from '../../api/types'
import { lang, t } from '../../i18n'
import { clock } from '../../i18n/time'
import { nameOf } from '../../stores/devices'

export const STATUSES: TaskStatus[] = ['queued', 'running', 'success', 'partial', 'failed', 'stopped', 'needs_human']

export const TONE: Record<TaskStatus, 'off' | 'info' | 'good' | 'warn' | 'bad'> = {
  queued: 'off', running: 'info', success: 'good', partial: 'warn', failed: 'bad', stopped: 'off', needs_human: 'warn',
}
export const SIGN: Record<TaskStatus, IconName> = {
  queued: 'clock', running: 'loader', success: 'check', partial: 'alert', failed: 'x', stopped: 'stop', needs_human: 'hand',
}

export function statusWords(status: TaskStatus): string {
  return t(`taskStatus.${status}`)
}

export function scheduleWords(schedule: TaskSchedule | null, now: number): string {
  if (!schedule) return t('schedule.none')
  if (schedule.cron) return `${schedule.cron} · ${schedule.zone}`
  if (schedule.every_s) return t('schedule.everyWords', { what: span(schedule.every_s) })
  return schedule.at ? clock(String(schedule.at), now) : ''
}

/** Seconds in their largest whole unit: "30 min", "1 天". */
export function span(seconds: number): string {
  const units = [['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]] as const
  const [unit, size] = units.find(([, each]) => seconds >= each && seconds % each === 0) ?? units[3]
  return new Intl.NumberFormat(lang.value, { style: 'unit', unit, unitDisplay: 'short' }).format(seconds / size)
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
