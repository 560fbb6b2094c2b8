import { expect, test } from 'vitest'

import { Blocks, type Block } from './blocks'

const html = (blocks: Block[]) =>
  blocks.map((block) => (block.kind === 'html' ? block.html : `[${block.lang}] ${block.code}`)).join('')

const ANSWER = '# 饭店\n\n| 店 | 赞 |\n|---|---|\n| 得月楼 | 7,310 |\n\n- one\n- two\n\n```py\nx = 1\n\ny = 2\n```\n\nthe end'

test('a text that grew letter by letter is drawn like the whole text', () => {
  const growing = new Blocks()

  let grown: Block[] = []
  for (let n = 1; n <= ANSWER.length; n += 1) grown = growing.update(ANSWER.slice(0, n))

  expect(grown).toEqual(new Blocks().update(ANSWER))
  expect(html(grown)).toContain('<td>得月楼</td>')
})

test('finished blocks are not parsed again', () => {
  const text = Array.from({ length: 80 }, (_, n) => `paragraph ${n} of a long answer`).join('\n\n')
  const growing = new Blocks()

  for (let n = 1; n <= text.length; n += 1) growing.update(text.slice(0, n))

  expect(growing.parsed).toBeLessThan(text.length * 80)
})

test('a fence is one code block, blank lines included', () => {
  const blocks = new Blocks().update('```py\nx = 1\n\ny = 2\n```')

  expect(blocks).toEqual([{ kind: 'code', lang: 'py', code: 'x = 1\n\ny = 2\n' }])
})

test('a text that was replaced starts over', () => {
  const blocks = new Blocks()
  blocks.update('first\n\nsecond')

  const replaced = blocks.update('other')

  expect(html(replaced)).toBe('<p>other</p>\n')
})

test.each([
  ['[x](javascript:alert(1))', 'javascript:alert(1)"'],
  ['<img src=x onerror=alert(1)>', '<img'],
  ['![x](https://elsewhere.example/p.png?secret=1)', '<img'],
  ['![x](//elsewhere.example/p.png)', '<img'],
])('%s does no harm', (text, harm) => {
  const drawn = html(new Blocks().update(text))

  expect(drawn).not.toContain(harm)
})

test('a picture of our own server is shown', () => {
  const drawn = html(new Blocks().update('![shot](/api/artifacts/a1b2)'))

  expect(drawn).toContain('<img src="/api/artifacts/a1b2"')
})

test('links open in a new window without a way back', () => {
  const drawn = html(new Blocks().update('see https://example.com'))

  expect(drawn).toContain('target="_blank"')
  expect(drawn).toContain('rel="noopener noreferrer"')
})
