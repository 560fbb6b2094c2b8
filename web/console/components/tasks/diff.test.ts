import { expect, test } from 'vitest'

import { blankTask } from '../../stores/tasks'
import { between } from './diff'

const step = (note: string) => ({ type: 'wait', seconds: 1, note })
const TASK = { ...blankTask(), name: 'Sign in', steps: [step('a'), step('b'), step('c')] }

test('a step that was put in between is one change', () => {
  const found = between(TASK, { ...TASK, steps: [step('a'), step('z'), step('b'), step('c')] })

  expect(found).toEqual([{ path: 'steps.1', kind: 'added', old: undefined, new: step('z') }])
})

test('places that were changed are named as deep as they lie', () => {
  const found = between(TASK, { ...TASK, name: 'In', policy: { retries: 2 }, steps: TASK.steps.slice(0, 2) })

  expect(found.map((each) => `${each.kind} ${each.path}`)).toEqual([
    'changed name', 'removed steps.2', 'added policy.retries',
  ])
})

test('what is the same is not told', () => {
  expect(between(TASK, JSON.parse(JSON.stringify(TASK)))).toEqual([])
})
