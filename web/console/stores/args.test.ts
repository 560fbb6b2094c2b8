import { expect, test } from 'vitest'

import { argsSummary, stepSummary } from './args'

test.each([
  [{}, ''],
  [{ text: '收藏' }, '"收藏"'],
  [{ serial: 'abc', index: 2, text: '收藏' }, '"收藏" index=2'],
  [{ element: 12 }, '12'],
  [{ from: [1, 2], to: [3, 4] }, 'from=1, 2 to=3, 4'],
  [{ checks: [{ text: 'x' }] }, 'checks=[{"text":"x"}]'],
  [{ question: 'Which?', options: [{ label: 'One', value: '1' }, { label: 'Two', value: '2' }] }, '"Which?" options=One, Two'],
  [{ app: 'Notes', clear: null }, '"Notes"'],
  [{ text: 'two\nlines' }, '"two lines"'],
])('%j reads %s', (args, line) => {
  expect(argsSummary(args)).toBe(line)
})

test('long arguments are cut', () => {
  const line = argsSummary({ text: 'x'.repeat(500) })

  expect(line).toHaveLength(80)
  expect(line.endsWith('…')).toBe(true)
})

test.each([
  ['Tapped switch "Wi-Fi" on @933,348. The screen changed.', 'switch "Wi-Fi" on'],
  ['There is no element [3] on the screen now.', '3'],
  [undefined, '3'],
])('a number reads as what the tool touched: %s', (answer, line) => {
  expect(stepSummary({ element: 3 }, answer)).toBe(line)
})
