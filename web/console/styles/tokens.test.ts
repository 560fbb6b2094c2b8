import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const USED = /var\((--[\w-]+)/g
const NAMED = /(--[\w-]+)['"]?:/g

function styles(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => /\.(vue|css)$/.test(file) && !file.startsWith('node_modules'))
}

test('each token is named and used', () => {
  const texts = styles().map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const found = (pattern: RegExp) => new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((hit) => hit[1])))

  const [named, used] = [found(NAMED), found(USED)]

  expect(named.size).toBeGreaterThan(40)
  expect([...used].sort()).toEqual([...named].sort())
})
