import { beforeEach, expect, test } from 'vitest'

import en from './en.json'
import { firstLang, lang, t, tn } from './index'
import { ago, clock, day, duration } from './time'
import zh from './zh.json'

const NOW = Date.parse('2026-03-10T12:00:00')
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

beforeEach(() => {
  lang.value = 'en'
})

test('both languages have the same keys, none of them empty', () => {
  expect(Object.keys(en)).toEqual(Object.keys(zh))
  expect([...Object.values(zh), ...Object.values(en)]).not.toContain('')
})

test('both languages name the same values', () => {
  const names = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

  for (const key of Object.keys(zh) as (keyof typeof zh)[]) {
    expect([key, names(en[key])]).toEqual([key, names(zh[key])])
  }
})

test('a value does not turn the words around it', () => {
  expect(t('conversations.menu', { title: '\u202egpj.\u2069exe' })).toBe('More for “gpj.exe”')
})

test('values are put in, unknown names stay', () => {
  expect(t('run.step', { n: 3, max: 40 })).toBe('step 3/40')
  expect(t('run.step', { n: 3 })).toBe('step 3/{max}')
})

test('one is singular where the language has it', () => {
  expect([tn('steps', 1), tn('steps', 1200)]).toEqual(['1 step', '1,200 steps'])

  lang.value = 'zh'

  expect(tn('steps', 1)).toBe('1 步')
})

test.each([
  [null, 'en-GB', 'en'],
  [null, 'zh-CN', 'zh'],
  [null, 'fr', 'zh'],
  ['en', 'zh-CN', 'en'],
])('stored %s and browser %s give %s', (stored, browser, expected) => {
  expect(firstLang(stored, browser)).toBe(expected)
})

test('ages are said in the largest unit', () => {
  const said = [10, 90, 7_200, 86_400].map((seconds) => ago(before(seconds), NOW))

  expect(said).toEqual(['just now', '1 minute ago', '2 hours ago', 'yesterday'])
})

test('durations are finer the shorter they are', () => {
  expect([340, 4_800, 125_000].map(duration)).toEqual(['0.34 s', '4.8 s', '2 min 05 s'])
})

test('a time of another day carries its date', () => {
  expect(clock(before(60), NOW)).toBe('11:59')
  expect(clock(before(86_400), NOW)).toContain('Mar 9')
})

test('conversations stand under today, yesterday or earlier', () => {
  expect([60, 86_400, 3 * 86_400].map((seconds) => day(before(seconds), NOW))).toEqual([
    'today', 'yesterday', 'earlier',
  ])
})
