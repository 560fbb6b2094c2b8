import { expect, test } from 'vitest'

import { backTo } from './back'

test('after the login the page that was asked for is opened', () => {
  expect(backTo('?next=%2Fchat%2Fab12')).toBe('/chat/ab12')
})

test.each(['?next=https://elsewhere.example/', '?next=//elsewhere.example', '?next=javascript:alert(1)', ''])(
  '%s leads home',
  (search) => {
    expect(backTo(search)).toBe('/')
  },
)
