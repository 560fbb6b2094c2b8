import { expect, test } from 'vitest'

import type { TaskRun, TaskStatus } from '../../api/types'
import { chartOf } from './chart'

const run = (id: string, ms: number | null, status: TaskStatus = 'success') =>
  ({ run_id: id, ms, status, ended: ms === null ? null : '2026-03-10T12:00:00Z' }) as TaskRun

test('the newest run stands at the right, and the longest is as tall as the chart', () => {
  const chart = chartOf([run('new', 1_000), run('old', 4_000)], 100, 50, 10)

  expect(chart.bars.map((bar) => [bar.id, bar.x, bar.height])).toEqual([['old', 80, 50], ['new', 90, 12.5]])
})

test('what goes on counts for nothing', () => {
  const chart = chartOf([run('open', null, 'running'), run('a', 10, 'failed'), run('b', 30), run('c', 20)], 100, 50, 10)

  expect([chart.success, chart.median, chart.bars.length]).toEqual([67, 20, 3])
})

test('without runs there is no share of successes', () => {
  expect(chartOf([], 100, 50, 10)).toMatchObject({ bars: [], success: null, median: 0 })
})
