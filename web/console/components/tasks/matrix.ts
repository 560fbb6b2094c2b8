/** What each step of a start came to on each phone, as far as the runs tell it. */
import type { MatrixCell, TaskStatus, TaskStep } from '../../api/types'

export type Mark = 'good' | 'bad' | 'warn' | 'info' | 'off' | 'none'

/** The step of the list in which a place lies: `steps.2.then.0` is step 2. */
function top(path: string): number {
  const found = /^steps\.(\d+)/.exec(path)
  return found ? Number(found[1]) : -1
}

const ENDED: Partial<Record<TaskStatus, Mark>> = { failed: 'bad', stopped: 'off', needs_human: 'info', running: 'info' }

/** A mark for each step of the list; `steps` are what a run did, where they have been read. */
export function marksOf(cell: MatrixCell, count: number, steps?: TaskStep[]): Mark[] {
  const places = Array.from({ length: count }, (_, at) => at)
  const spoiled = new Set((steps ?? []).filter((step) => step.status === 'failed').map((step) => top(step.path)))
  if (cell.status === 'success' || cell.status === 'partial') return places.map((at) => (spoiled.has(at) ? 'warn' : 'good'))
  const here = top(cell.status === 'running' ? cell.at : cell.path)
  const end = ENDED[cell.status] ?? 'none'
  return places.map((at) => {
    if (here < 0 || at > here) return 'none'
    if (at === here) return end
    return spoiled.has(at) ? 'warn' : 'good'
  })
}
