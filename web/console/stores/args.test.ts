import { expect, test } from 'vitest'

import { argsSummary } from './args'

test.each([
  [{}, ''],
  [{ text: '收藏' }, '"收藏"'],
  [{ serial: 'abc', index: 2, text: '收藏' }, '"收藏" index=2'],
  [{ element: 12 }, '12'],
  [{ from: [1, 2], to: [3, 4] }, 'from=1, 2 to=3, 4'],
  [{ checks: [{ text: 'x' }] }, 'checks=[{"text":"x"}]'],
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
