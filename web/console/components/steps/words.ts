/** Steps in words: their names, their signs, and what one does in a line. */
import { isKey, t, type Key } from '../../i18n'
import type { IconName } from '../icons'
import { schema, type Field } from './schema'
import type { Step } from './tree'

export type Selector = Record<string, string | number>

const SIGN: Record<string, IconName> = {
  open_app: 'app', close_app: 'x', open_url: 'globe', click: 'target', long_click: 'hand', input_text: 'typing',
  swipe: 'swipe', scroll_to: 'down', press_key: 'home', hide_keyboard: 'keyboard', wait: 'clock', wait_for: 'hourglass',
  assert: 'check', extract: 'copy', screenshot: 'camera', if_exists: 'branch', repeat: 'repeat', run_action: 'bolt',
  click_xy: 'point', keep_screen: 'sun',
}

/** The order in which steps are offered: what people use most comes first. */
export const GROUPS: { key: Key; types: string[] }[] = [
  { key: 'stepGroup.touch', types: ['click', 'input_text', 'scroll_to', 'swipe', 'long_click', 'press_key', 'hide_keyboard', 'click_xy'] },
  { key: 'stepGroup.look', types: ['assert', 'wait_for', 'extract', 'screenshot', 'wait'] },
  { key: 'stepGroup.app', types: ['open_app', 'close_app', 'open_url', 'keep_screen'] },
  { key: 'stepGroup.flow', types: ['if_exists', 'repeat', 'run_action'] },
]

export function signOf(type: string): IconName {
  return SIGN[type] ?? 'play'
}

/** The words of the catalogue for a key, else what the schema says. */
function words(key: string, otherwise: string): string {
  return isKey(key) ? t(key) : otherwise
}

export function typeName(type: string): string {
  return words(`stepType.${type}`, type)
}

export function typeHint(type: string): string {
  return words(`stepHint.${type}`, schema.parts[type]?.description ?? '')
}

export function fieldName(field: Field): string {
  return words(`stepField.${field.name}`, field.title)
}

export function fieldHint(field: Field): string {
  return words(`stepFieldHint.${field.name}`, '')
}

/** A selector in a line: `text = "以后再说"`. */
export function said(selector: unknown): string {
  const keys = Object.entries((selector ?? {}) as Selector).filter(([, value]) => value !== '' && value !== null)
  return keys.map(([key, value]) => (typeof value === 'number' ? `${key} = ${value}` : `${key} = "${value}"`)).join(' · ')
}

const MAIN = ['app', 'url', 'name', 'seconds']

/** What a step does it to, in a line. */
export function summary(step: Step): string {
  const some: string[] = []
  const put = (text: unknown) => text !== undefined && text !== null && text !== '' && some.push(String(text))
  if (step.type === 'press_key') put(words(`key.${step.key}`, String(step.key ?? '')))
  else if (step.type === 'input_text') put(`“${step.text}”`)
  else if (step.type === 'swipe') put(swipeWords(step))
  else if (step.type === 'click_xy') put(`(${step.x}, ${step.y})`)
  else if (step.type === 'keep_screen') put(step.on ? t('stepEdit.on') : t('stepEdit.off'))
  else if (step.type === 'repeat') put(repeatWords(step))
  else for (const name of MAIN) put(step[name])
  put(said(step.selector))
  if (step.gone) put(t('stepEdit.gone'))
  if (step.type === 'assert' && step.text) put(`→ “${step.text}”`)
  if (step.into) put(`→ {{${step.into}}}`)
  return some.join(' · ')
}

function swipeWords(step: Step): string {
  if (step.direction) return words(`stepOption.${step.direction}`, String(step.direction))
  const spot = (at: unknown) => (Array.isArray(at) ? `(${at.join(', ')})` : '')
  return `${spot(step.from)} → ${spot(step.to)}`
}

function repeatWords(step: Step): string {
  if (step.times !== undefined && step.times !== null) return t('stepEdit.times', { n: String(step.times) })
  const held = (step.while ?? {}) as { selector?: unknown; gone?: boolean }
  return t(held.gone ? 'stepEdit.until' : 'stepEdit.while', { what: said(held.selector) })
}
