import { expect, test } from 'vitest'

import type { MatrixCell, TaskStep } from '../../api/types'
import { marksOf } from './matrix'

const cell = (change: Partial<MatrixCell>) => ({ status: 'success', at: '', path: '', ...change }) as MatrixCell

test.each([
  [{ status: 'success' }, ['good', 'good', 'good']],
  [{ status: 'failed', path: 'steps.1.then.0' }, ['good', 'bad', 'none']],
  [{ status: 'running', at: 'steps.2' }, ['good', 'good', 'info']],
  [{ status: 'needs_human', path: 'steps.0' }, ['info', 'none', 'none']],
  [{ status: 'stopped', path: 'steps.1' }, ['good', 'off', 'none']],
  [{ status: 'failed', path: '' }, ['none', 'none', 'none']],
  [{ status: 'queued' }, ['none', 'none', 'none']],
] as const)('%j is %j', (change, marks) => {
  expect(marksOf(cell(change), 3)).toEqual(marks)
})

test('an optional step that failed is marked where it stands', () => {
  const steps = [{ path: 'steps.1.then.0', status: 'failed' }, { path: 'steps.2', status: 'ok' }] as TaskStep[]

  expect(marksOf(cell({ status: 'partial' }), 3, steps)).toEqual(['good', 'warn', 'good'])
})
