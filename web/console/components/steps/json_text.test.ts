import { beforeEach, expect, test } from 'vitest'

import { lang } from '../../i18n'
import { lineOf, parsed, written } from './json_text'

const TEXT = `[
  {"type": "click", "selector": {"text": "a, ]}{"}},
  {
    "type": "if_exists",
    "selector": {"text": "x"},
    "then": [
      {"type": "wait", "seconds": 1},
      {"type": "click",
       "selector": {"txt": "y"}}
    ]
  }
]`

beforeEach(() => {
  lang.value = 'en'
})

test.each([
  ['steps.0.selector', 2],
  ['steps.1', 3],
  ['steps.1.then.0.seconds', 7],
  ['steps.1.then.1', 8],
  ['steps.1.then.1.selector.txt', 9],
  ['steps.1.then.1.not_there', 8],
])('%s stands on line %i', (path, line) => {
  expect(lineOf(TEXT, path)).toBe(line)
})

test('what is written is read again as it was', () => {
  const steps = [{ type: 'wait', seconds: 1, note: '“引号”\n\\' }]

  expect(parsed(written(steps)).steps).toEqual(steps)
})

test('an export is read as well as a list', () => {
  expect(parsed('{"name": "x", "steps": [{"type": "wait"}]}').steps).toEqual([{ type: 'wait' }])
})

test.each([
  ['{"a": 1}', 1, 'list of steps'],
  ['[{"type": "wait"},\n 7]', 2, 'object'],
  ['[\n{"type": }\n]', 2, 'JSON'],
])('%s is refused on line %i', (text, line, words) => {
  const made = parsed(text)

  expect([made.steps, made.line]).toEqual([null, line])
  expect(made.message).toContain(words)
})
