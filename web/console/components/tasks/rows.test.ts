import { expect, test } from 'vitest'

import { rowsOf } from './rows'

test.each([
  ['店铺\t密码\n甲\t1\n乙\t2', [{ 店铺: '甲', 密码: '1' }, { 店铺: '乙', 密码: '2' }]],
  ['a,b\r\n1,"x, ""y"""\r\n', [{ a: '1', b: 'x, "y"' }]],
  ['a,b\n"two\nlines",2\n\n,', [{ a: 'two\nlines', b: '2' }]],
  ['only a head', []],
  ['', []],
])('%j is read', (text, rows) => {
  expect(rowsOf(text)).toEqual(rows)
})
