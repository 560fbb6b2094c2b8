/** Steps as text and back, with the line of what is wrong. */
import { t } from '../../i18n'
import type { Step } from './tree'

type Read = { steps: Step[]; line?: undefined; message?: undefined } | { steps: null; line: number; message: string }

export function written(steps: Step[]): string {
  return JSON.stringify(steps, null, 2)
}

/** Read steps; a list, or an object that holds one as an export does. */
export function parsed(text: string): Read {
  try {
    const made: unknown = JSON.parse(text)
    const list = Array.isArray(made) ? made : (made as { steps?: unknown } | null)?.steps
    if (!Array.isArray(list)) return { steps: null, line: 1, message: t('stepEdit.noList') }
    const odd = list.findIndex((each) => typeof each !== 'object' || each === null || Array.isArray(each))
    if (odd >= 0) return { steps: null, line: lineOf(text, `steps.${odd}`), message: t('stepEdit.noStep') }
    return { steps: list as Step[] }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return { steps: null, line: lineAt(text, walk(text, () => undefined) ?? text.length), message: said }
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** The line on which the value at a place begins, counted from 1; text that is written by hand too. */
export function lineOf(text: string, path: string): number {
  const wanted = path.split('.').slice(1)
  let best = 0
  walk(text, (way, offset) => {
    if (way.length <= wanted.length && way.every((part, at) => part === wanted[at])) best = offset
  })
  return lineAt(text, best)
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+|"/g
const PLAIN = /^(?:"[^]*"|true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

interface Open {
  list: boolean
  /** What may come next: a value, a key, a colon, or what ends the value before. */
  wants: 'value' | 'key' | 'colon' | 'end'
  key: string
  count: number
}

/**
 * Go through the values of a JSON text, each with the keys that lead to it and where it begins.
 *
 * Browsers do not all say where a text breaks off, so this does: the offset of what does not fit.
 */
function walk(text: string, tell: (way: string[], offset: number) => void): number | null {
  const open: Open[] = [{ list: true, wants: 'value', key: '', count: 0 }]
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const here = open.at(-1)!
    const fresh = here.list ? !here.count : !here.key
    if (token === ':' && here.wants === 'colon') here.wants = 'value'
    else if (token === ',' && here.wants === 'end' && open.length > 1) here.wants = here.list ? 'value' : 'key'
    else if ((token === ']' || token === '}') && closes(here, token, fresh) && open.length > 1) open.pop()
    else if (here.wants === 'key' && token.length > 1 && token.startsWith('"')) {
      here.key = unquoted(token)
      here.wants = 'colon'
    } else if (here.wants === 'value' && (token === '[' || token === '{' || PLAIN.test(token))) {
      here.wants = 'end'
      tell(wayOf(open), index)
      here.count += 1
      if (token === '[' || token === '{') open.push({ list: token === '[', wants: token === '[' ? 'value' : 'key', key: '', count: 0 })
    } else return index
  }
  return open.length === 1 && open[0]!.count ? null : text.length
}

function closes(here: Open, token: string, fresh: boolean): boolean {
  return here.list === (token === ']') && (here.wants === 'end' || (fresh && here.wants !== 'colon'))
}

/** The keys to the value that comes now; the lists around it have counted the one they are in. */
function wayOf(open: Open[]): string[] {
  const last = open.length - 1
  return open.slice(1).map((each, at) => (each.list ? String(each.count - (at + 1 < last ? 1 : 0)) : each.key))
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}
