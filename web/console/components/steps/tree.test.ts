import { expect, test } from 'vitest'

import {
  inserted, lines, moved, nested, outdented, removed, replaced, shifted, stepAt, valuesOf, type Step,
} from './tree'

const step = (note: string): Step => ({ type: 'wait', seconds: 1, note })
const STEPS: Step[] = [
  step('a'),
  { type: 'if_exists', selector: { text: 'x' }, then: [step('b'), step('c')] },
  step('d'),
]

/** The notes in their places, for short: `a [b c | ] d`. */
function drawn(steps: Step[]): string {
  return steps
    .map((each) => {
      const held = (key: string) => drawn((each[key] as Step[] | undefined) ?? [])
      if (each.type === 'if_exists') return `[${held('then')}|${held('else')}]`
      return each.type === 'repeat' ? `(${held('steps')})` : String(each.note)
    })
    .join(' ')
}

test('every step has the place that the server names, and a number for people', () => {
  const found = lines(STEPS).map((line) => (line.row ? `${line.row.number} ${line.row.path}` : line.branch.path))

  expect(found).toEqual([
    '1 steps.0', '2 steps.1', 'steps.1.then', '2.1 steps.1.then.0', '2.2 steps.1.then.1', 'steps.1.else', '3 steps.2',
  ])
})

test('a change leaves the list before as it was', () => {
  const before = drawn(STEPS)

  const changed = [
    replaced(STEPS, 'steps.1.then.0', step('z')),
    removed(STEPS, 'steps.1.then.0'),
    inserted(STEPS, 'steps.1.else', 0, step('z')),
  ].map(drawn)

  expect(changed).toEqual(['a [z c|] d', 'a [c|] d', 'a [b c|z] d'])
  expect(drawn(STEPS)).toBe(before)
})

test.each([
  ['steps.0', 1, '[b c|] a d', 'steps.1'],
  ['steps.2', -1, 'a d [b c|]', 'steps.1'],
  ['steps.0', -1, 'a [b c|] d', 'steps.0'],
  ['steps.1.then.0', 1, 'a [c b|] d', 'steps.1.then.1'],
  ['steps.1.then.0', -1, 'a b [c|] d', 'steps.1'],
  ['steps.1.then.1', 1, 'a [b|c] d', 'steps.1.else.0'],
] as const)('%s moved by %i gives %s', (path, by, expected, where) => {
  const made = shifted(STEPS, path, by)

  expect([drawn(made.steps), made.path]).toEqual([expected, where])
})

test('a step goes into the one above and comes out again', () => {
  const inside = nested(STEPS, 'steps.2')
  const out = outdented(inside.steps, inside.path)

  expect([drawn(inside.steps), inside.path]).toEqual(['a [b c d|]', 'steps.1.then.2'])
  expect([drawn(out.steps), out.path]).toEqual(['a [b c|] d', 'steps.2'])
})

test('a step that is dragged from before a list into it lands where it was dropped', () => {
  const made = moved(STEPS, 'steps.0', 'steps.1.then', 1)

  expect([drawn(made.steps), made.path]).toEqual(['[b a c|] d', 'steps.0.then.1'])
  expect(stepAt(made.steps, made.path)?.note).toBe('a')
})

test('a step never goes into itself', () => {
  expect(moved(STEPS, 'steps.1', 'steps.1.then', 0)).toEqual({ steps: STEPS, path: 'steps.1' })
})

test('values that steps ask for are named once, and not those they read themselves', () => {
  const asking: Step[] = [
    { type: 'input_text', text: '{{ 店铺 }} {{name}}' },
    { type: 'extract', selector: { text: '{{name}}' }, into: 'price' },
    { type: 'input_text', text: '{{price}}' },
  ]

  expect(valuesOf(asking)).toEqual(['店铺', 'name'])
})
