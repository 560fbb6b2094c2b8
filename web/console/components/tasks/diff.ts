/** What one version of a task has that another has not, place by place, as the server says it. */
import type { Difference, TaskSpec } from '../../api/types'

export function between(old: TaskSpec, now: TaskSpec): Difference[] {
  return changes(old as unknown as Record<string, unknown>, now as unknown as Record<string, unknown>, '')
}

function changes(old: Record<string, unknown>, now: Record<string, unknown>, before: string): Difference[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return keys.flatMap((key) => {
    const [one, other] = [old[key], now[key]]
    const path = `${before}${key}`
    if (JSON.stringify(one) === JSON.stringify(other)) return []
    if (Array.isArray(one) && Array.isArray(other)) return listed(one, other, path)
    if (isObject(one) && isObject(other)) return changes(one, other, `${path}.`)
    return [change(path, one, other)]
  })
}

/** Lists are compared between what is alike at both ends. */
function listed(old: unknown[], now: unknown[], path: string): Difference[] {
  const one = old.map((each) => JSON.stringify(each))
  const other = now.map((each) => JSON.stringify(each))
  let head = 0
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1
  let tail = 0
  while (tail < one.length - head && tail < other.length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  const count = Math.max(one.length, other.length) - tail - head
  return Array.from({ length: count }, (_, at) => {
    const index = head + at
    const gone = index < one.length - tail ? old[index] : undefined
    const come = index < other.length - tail ? now[index] : undefined
    return change(`${path}.${index}`, gone, come)
  })
}

function change(path: string, old: unknown, now: unknown): Difference {
  const kind = absent(old) ? 'added' : absent(now) ? 'removed' : 'changed'
  return { path, kind, old, new: now } as Difference
}

const absent = (value: unknown) => value === undefined || value === null
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
