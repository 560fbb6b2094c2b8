/** The arguments of a tool call in one line: the main one in quotes, the others as names. */

const MAIN = ['text', 'app', 'url', 'key', 'element', 'direction', 'name', 'question', 'prompt']
const HIDDEN = new Set(['serial'])
const MOST = 80

/** What a part of a list is called; an answer to choose has a label. */
function nameOf(part: unknown): string {
  if (typeof part !== 'object') return String(part)
  return String((part as { label?: string } | null)?.label ?? '')
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((part) => nameOf(part))) return value.map(nameOf).join(', ')
  return JSON.stringify(value)
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line
}

const TOUCHED = /^\w+ (.+?) @\d+,\d+\./

/**
 * Say what a step was about. A number says nothing to a person, so where the tool's answer names
 * the element that it touched, that stands instead: `switch "Wi-Fi" on`.
 */
export function stepSummary(args: Record<string, unknown>, answer?: string): string {
  const touched = typeof args.element === 'number' ? TOUCHED.exec(answer ?? '')?.[1] : undefined
  return touched ? clip(touched) : argsSummary(args)
}

const REFUSED = /^Error executing tool \w+: /

/** What a tool answered; that it failed is shown otherwise, and who answered stands before it. */
export function answerText(text: string): string {
  return text.replace(REFUSED, '')
}

/** List arguments whole, for whoever wants to read them. */
export function argsList(args: Record<string, unknown>): [string, string][] {
  const given = Object.entries(args).filter(([name, value]) => !HIDDEN.has(name) && value != null)
  return given.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)])
}

/** Summarise arguments, for example `"收藏" index=2`; the device is named elsewhere. */
export function argsSummary(args: Record<string, unknown>): string {
  const given = Object.entries(args).filter(([name, value]) => !HIDDEN.has(name) && value != null)
  const main = MAIN.find((name) => given.some(([key]) => key === name))
  const parts = given.map(([name, value]) => {
    if (name !== main) return `${name}=${plain(value)}`
    return typeof value === 'string' ? `"${plain(value)}"` : plain(value)
  })
  const first = given.findIndex(([name]) => name === main)
  if (first > 0) parts.unshift(...parts.splice(first, 1))
  return clip(parts.join(' '))
}
