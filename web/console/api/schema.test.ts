// @vitest-environment node
import { readFileSync } from 'node:fs'

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { expect, test } from 'vitest'

test('the types are those of the described API: npm run types', async () => {
  const here = (name: string) => new URL(name, import.meta.url)

  const fresh = astToString(await openapiTS(here('../openapi.json')))

  expect(readFileSync(here('schema.d.ts'), 'utf8')).toBe(`${COMMENT_HEADER}${fresh}`)
})
