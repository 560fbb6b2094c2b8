import { beforeEach, expect, test } from 'vitest'

import { lang } from '../../i18n'
import { ownZone } from '../../i18n/time'
import { cronWords, scheduleWords } from './schedule_words'

beforeEach(() => {
  lang.value = 'zh'
})

test.each([
  ['0 8 * * *', '每天 08:00'],
  ['30 9 * * 1-5', '工作日 09:30'],
  ['0 9 * * 1,5', '每周一、周五 09:00'],
  ['0 9 * * 7', '每周日 09:00'],
  ['*/30 * * * *', '每 30 分钟'],
  ['5 * * * *', '每小时的第 05 分'],
  ['0 0 1 * *', '每月 1 日 00:00'],
])('%s is said as %s', (cron, said) => {
  expect(cronWords(cron)).toBe(said)
})

test.each(['*/7 * * * *', '0 8 1 * 1', '0 8 * 3 *', '0 8-18 * * *', '0 8 * * 1-4', 'nonsense'])('%s is shown as it was written', (cron) => {
  expect(cronWords(cron)).toBe(cron)
})

test('the zone is named where it is not the reader\'s own', () => {
  const there = ownZone() === 'Asia/Tokyo' ? 'Asia/Shanghai' : 'Asia/Tokyo'

  const both = [ownZone(), there].map((zone) => scheduleWords({ cron: '0 8 * * *', zone }, 0))

  expect(both).toEqual(['每天 08:00', `每天 08:00 · ${there}`])
})
