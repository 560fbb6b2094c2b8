/** Times as people say them: ages, days and durations, in the current language. */
import { lang, perLang, spaced, t } from './index'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const dates = perLang((each) => new Intl.DateTimeFormat(each, { dateStyle: 'medium' }))
const ages = perLang((each) => new Intl.RelativeTimeFormat(each, { numeric: 'auto' }))
const shortAges = perLang((each) => new Intl.RelativeTimeFormat(each, { numeric: 'auto', style: 'narrow' }))
const TIME = { hour: '2-digit', minute: '2-digit', hour12: false } as const
const times = perLang((each) => new Intl.DateTimeFormat(each, TIME))
const moments = perLang((each) => new Intl.DateTimeFormat(each, { ...TIME, month: 'short', day: 'numeric' }))
const days = perLang((each) => new Intl.DateTimeFormat(each, { month: 'short', day: 'numeric', timeZone: 'UTC' }))

/** How long ago something was, for example "5 minutes ago" or "刚刚". */
export function ago(iso: string, now: number): string {
  return since(iso, now, ages())
}

/** The same where there is little room: "5m ago". */
export function shortAgo(iso: string, now: number): string {
  return since(iso, now, shortAges())
}

function since(iso: string, now: number, format: Intl.RelativeTimeFormat): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000)
  const unit = UNITS.find(([, size]) => seconds >= size)
  if (!unit) return t('time.now')
  if (unit[0] === 'day' && seconds > 30 * 86_400) {
    return dates().format(Date.parse(iso))
  }
  return spaced(format.format(-Math.floor(seconds / unit[1]), unit[0]))
}

/** How long something has lasted, in its largest unit: "3 min", "2 小时". */
export function age(iso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000)
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['second', 1] as const)
  const format = new Intl.NumberFormat(lang.value, { style: 'unit', unit, unitDisplay: 'short' })
  return spaced(format.format(Math.floor(seconds / size)))
}

/** The time of day, with the date when it is not today. */
export function clock(iso: string, now: number): string {
  const today = new Date(now).toDateString() === new Date(iso).toDateString()
  return (today ? times() : moments()).format(Date.parse(iso))
}

/** A day of the calendar, as in "2026-03-10", without its year. */
export function dayWords(date: string): string {
  return days().format(Date.parse(date))
}

/** The zone by whose calendar this browser shows days. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** From when until when something lasted, to the second: "14:32:05–14:32:06", or "14:32:05". */
export function span(iso: string, ms: number): string {
  const options: Intl.DateTimeFormatOptions = { timeStyle: 'medium', hour12: false }
  const format = new Intl.DateTimeFormat(lang.value, options)
  const begun = Date.parse(iso)
  return [...new Set([begun, begun + ms].map((moment) => format.format(moment)))].join('–')
}

/** A measured time: "0.34 s" below a second, "48.2 s", "2 min 05 s" above a minute. */
export function duration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 1) return `${seconds.toFixed(2)} s`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

export type Day = 'today' | 'yesterday' | 'earlier'

/** The heading a conversation of that time stands under. */
export function day(iso: string, now: number): Day {
  const start = new Date(now)
  start.setHours(0, 0, 0, 0)
  const time = Date.parse(iso)
  if (time >= start.getTime()) return 'today'
  return time >= start.getTime() - 86_400_000 ? 'yesterday' : 'earlier'
}

/** How much time is left until a moment, as on a stop watch: "4:52"; nothing is left as "0:00". */
export function left(iso: string, now: number): string {
  const seconds = Math.max(0, Math.round((Date.parse(iso) - now) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
