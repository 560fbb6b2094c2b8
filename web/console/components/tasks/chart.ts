/** The bars of a task's last runs: how long each took and how it went, oldest first. */
import type { TaskRun, TaskStatus } from '../../api/types'

interface Bar {
  id: string
  x: number
  y: number
  width: number
  height: number
  status: TaskStatus
  ms: number
  when: string
}

interface Chart {
  bars: Bar[]
  /** The longest time, at the top of the chart. */
  most: number
  median: number
  /** Of the runs that have ended, how many succeeded, in percent; null when none has. */
  success: number | null
}

const LEAST = 2
const GAP = 0.25

export function chartOf(runs: TaskRun[], width: number, height: number, places: number): Chart {
  const ended = runs.filter((run) => run.ms !== null && run.ended).slice(0, places).reverse()
  const times = ended.map((run) => run.ms ?? 0)
  const most = Math.max(1, ...times)
  const step = width / places
  const bars = ended.map((run, at) => {
    const tall = Math.max(LEAST, ((run.ms ?? 0) / most) * height)
    return {
      id: run.run_id, x: (places - ended.length + at) * step, y: height - tall, width: step * (1 - GAP), height: tall,
      status: run.status, ms: run.ms ?? 0, when: run.ended ?? '',
    }
  })
  const good = ended.filter((run) => run.status === 'success' || run.status === 'partial').length
  return { bars, most, median: middle(times), success: ended.length ? Math.round((100 * good) / ended.length) : null }
}

function middle(times: number[]): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
