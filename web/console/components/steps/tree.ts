/**
 * A list of steps as a tree of places; every change makes a new list and leaves the old one be.
 *
 * A place is what the server's errors say: `steps.1.then.0`.
 */
export type Step = { type: string } & Record<string, unknown>

export interface Row {
  path: string
  /** What a person reads: `2.1`. */
  number: string
  depth: number
  step: Step
  /** The list that it stands in: `steps`, `steps.1.then`. */
  list: string
  index: number
}

/** A list inside a step, which has a heading and takes steps also when it is empty. */
interface Branch {
  path: string
  key: string
  depth: number
  count: number
}

export type Line = { row: Row; branch?: undefined } | { branch: Branch; row?: undefined }

const NESTED: Record<string, string[]> = { if_exists: ['then', 'else'], repeat: ['steps'] }

/** The keys of a step that hold steps. */
export function branches(step: Step): string[] {
  return NESTED[step.type] ?? []
}

function listIn(step: Step, key: string): Step[] {
  return Array.isArray(step[key]) ? (step[key] as Step[]) : []
}

/** Every step and every list inside one, from top to bottom. */
export function lines(steps: Step[], list = 'steps', number = '', depth = 0): Line[] {
  return steps.flatMap((step, index): Line[] => {
    const path = `${list}.${index}`
    const own = `${number}${index + 1}`
    const inner = branches(step).flatMap((key): Line[] => {
      const held = listIn(step, key)
      const mark = key === 'else' ? `${own}.e` : `${own}.`
      const head: Line = { branch: { path: `${path}.${key}`, key, depth: depth + 1, count: held.length } }
      return [head, ...lines(held, `${path}.${key}`, mark, depth + 1)]
    })
    return [{ row: { path, number: own, depth, step, list, index } }, ...inner]
  })
}

function parts(path: string): string[] {
  return path.split('.').slice(1)
}

/** The list and the index of a step's place. */
export function placed(path: string): { list: string; index: number } {
  const cut = path.lastIndexOf('.')
  return { list: path.slice(0, cut), index: Number(path.slice(cut + 1)) }
}

export function stepAt(steps: Step[], path: string): Step | undefined {
  const { list, index } = placed(path)
  return listAt(steps, list)?.[index]
}

export function listAt(steps: Step[], list: string): Step[] | undefined {
  let here: unknown = steps
  for (const part of parts(list)) {
    here = (here as Record<string, unknown> | undefined)?.[part]
  }
  return Array.isArray(here) ? (here as Step[]) : list.endsWith('else') || here === undefined ? [] : undefined
}

/** Put a changed list in its place. */
function withList(steps: Step[], list: string, changed: Step[]): Step[] {
  const way = parts(list)
  if (!way.length) return changed
  const key = way.at(-1)!
  const owner = `steps${way.slice(0, -1).map((part) => `.${part}`).join('')}`
  const step = stepAt(steps, owner)
  return step ? replaced(steps, owner, { ...step, [key]: changed }) : steps
}

export function replaced(steps: Step[], path: string, step: Step): Step[] {
  const { list, index } = placed(path)
  const changed = [...(listAt(steps, list) ?? [])]
  changed[index] = step
  return withList(steps, list, changed)
}

export function inserted(steps: Step[], list: string, index: number, step: Step): Step[] {
  const changed = [...(listAt(steps, list) ?? [])]
  changed.splice(index, 0, step)
  return withList(steps, list, changed)
}

export function removed(steps: Step[], path: string): Step[] {
  const { list, index } = placed(path)
  const changed = [...(listAt(steps, list) ?? [])]
  changed.splice(index, 1)
  return withList(steps, list, changed)
}

interface Moved {
  steps: Step[]
  path: string
}

/** Where a place lies once the step at `gone` has been taken out. */
function after(list: string, gone: string): string {
  const from = placed(gone)
  if (!list.startsWith(`${from.list}.`)) return list
  const [at, ...rest] = list.slice(from.list.length + 1).split('.')
  const index = Number(at) > from.index ? Number(at) - 1 : at
  return [from.list, index, ...rest].join('.')
}

/** Move a step to a place between others; a step never goes into itself. */
export function moved(steps: Step[], path: string, list: string, index: number): Moved {
  const step = stepAt(steps, path)
  if (!step || list.startsWith(`${path}.`)) return { steps, path }
  const from = placed(path)
  const to = from.list === list && from.index < index ? index - 1 : index
  const target = after(list, path)
  return { steps: inserted(removed(steps, path), target, to, step), path: `${target}.${to}` }
}

/** The step or list that a list stands in. */
function ownerOf(list: string): { path: string; key: string } | null {
  const cut = list.lastIndexOf('.')
  return cut < 0 ? null : { path: list.slice(0, cut), key: list.slice(cut + 1) }
}

/** One place up or down: past a neighbour, into it, or out of the list at its end. */
export function shifted(steps: Step[], path: string, by: -1 | 1): Moved {
  const { list, index } = placed(path)
  const held = listAt(steps, list) ?? []
  const next = index + by
  if (next >= 0 && next < held.length) return moved(steps, path, list, by > 0 ? next + 1 : next)
  const owner = ownerOf(list)
  if (!owner) return { steps, path }
  const parent = stepAt(steps, owner.path)!
  const keys = branches(parent)
  const key = keys[keys.indexOf(owner.key) + by]
  if (key) {
    const other = `${owner.path}.${key}`
    return moved(steps, path, other, by > 0 ? 0 : listIn(parent, key).length)
  }
  const out = placed(owner.path)
  return moved(steps, path, out.list, by > 0 ? out.index + 1 : out.index)
}

/** Into the step above, where that one holds steps; else nothing happens. */
export function nested(steps: Step[], path: string): Moved {
  const { list, index } = placed(path)
  const above = index > 0 ? stepAt(steps, `${list}.${index - 1}`) : undefined
  const key = above && branches(above)[0]
  if (!above || !key) return { steps, path }
  return moved(steps, path, `${list}.${index - 1}.${key}`, listIn(above, key).length)
}

/** Out of the step that it stands in, to the place right after that. */
export function outdented(steps: Step[], path: string): Moved {
  const owner = ownerOf(placed(path).list)
  if (!owner) return { steps, path }
  const out = placed(owner.path)
  return moved(steps, path, out.list, out.index + 1)
}

/** The names of values that steps ask for, `{{name}}`, in their order; what they extract is not asked. */
export function valuesOf(steps: Step[]): string[] {
  const made = lines(steps).map((line) => line.row?.step.into)
  const found = JSON.stringify(steps).matchAll(/\{\{\s*([\p{L}\p{N}_]{1,64})\s*\}\}/gu)
  return [...new Set([...found].map((match) => match[1]!))].filter((name) => !made.includes(name))
}
