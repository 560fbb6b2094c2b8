/** When a task runs by itself, in words. */
import type { TaskSchedule } from '../../api/types'
import { lang, perLang, spaced, t } from '../../i18n'
import { clock, ownZone } from '../../i18n/time'

const PLAIN_CRON = /^(\d+|\*\/\d+) (\d+|\*) (\d+|\*) \* ([\d,-]+|\*)$/
const weekdays = perLang((each) => new Intl.DateTimeFormat(each, { weekday: 'short', timeZone: 'UTC' }))
const SUNDAY = Date.UTC(2026, 10, 1)

export function scheduleWords(schedule: TaskSchedule | null, now: number): string {
  if (!schedule) return t('schedule.none')
  if (schedule.cron) return [cronWords(schedule.cron), zoneWords(schedule.zone)].filter(Boolean).join(' · ')
  if (schedule.every_s) return t('schedule.everyWords', { what: span(schedule.every_s) })
  return schedule.at ? clock(String(schedule.at), now) : ''
}

/** The usual schedules in words; what is beyond them is shown as it was written. */
export function cronWords(cron: string): string {
  const [, minute, hour, date, days] = PLAIN_CRON.exec(cron.trim()) ?? []
  if (minute === undefined) return cron
  const isEvery = [date, days].every((each) => each === '*')
  if (hour === '*' && isEvery) return hourlyWords(minute)
  if (minute.includes('*') || hour === '*') return cron
  const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (isEvery) return t('cron.daily', { at })
  if (days === '*') return t('cron.monthly', { date, at })
  if (date !== '*') return cron
  if (days === '1-5') return t('cron.workdays', { at })
  return /^[0-7](,[0-7])*$/.test(days) ? t('cron.weekly', { days: dayNames(days), at }) : cron
}

function hourlyWords(minute: string): string {
  const every = Number(minute.slice(2))
  if (!minute.includes('*')) return t('cron.hourly', { minute: minute.padStart(2, '0') })
  return 60 % every ? `${minute} * * * *` : t('schedule.everyWords', { what: span(60 * every) })
}

function dayNames(days: string): string {
  return days.split(',').map((day) => weekdays().format(SUNDAY + 86_400_000 * (Number(day) % 7))).join(lang.value === 'zh' ? '、' : ', ')
}

/** The zone by whose clock it runs, where that is not the reader's. */
function zoneWords(zone?: string | null): string {
  return zone && zone !== ownZone() ? zone : ''
}

/** Seconds in their largest whole unit: "30 min", "1 天". */
export function span(seconds: number): string {
  const units = [['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]] as const
  const [unit, size] = units.find(([, each]) => seconds >= each && seconds % each === 0) ?? units[3]
  return spaced(new Intl.NumberFormat(lang.value, { style: 'unit', unit, unitDisplay: 'short' }).format(seconds / size))
}
