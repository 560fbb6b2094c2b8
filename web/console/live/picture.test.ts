import { expect, test } from 'vitest'

import { aboutOf } from './mjpeg'
import { screenOf } from './picture'

const phone = { width: 1080, height: 2400 }

test('touches are points of the screen that the picture itself names', () => {
  const about = { ...aboutOf(''), screen: { width: 2400, height: 1080 } }

  expect(screenOf({ width: 540, height: 1200, about }, phone)).toEqual({ width: 2400, height: 1080 })
})

test('without such a name a lying picture exchanges the sides of the phone', () => {
  const about = aboutOf('')

  expect(screenOf({ width: 1200, height: 540, about }, phone)).toEqual({ width: 2400, height: 1080 })
  expect(screenOf({ width: 540, height: 1200, about }, phone)).toEqual(phone)
  expect(screenOf({ width: 0, height: 0, about }, phone)).toEqual(phone)
})
