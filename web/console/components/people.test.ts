import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../i18n'
import { place } from '../stores/page'
import { mayChange, session } from '../stores/session'
import { allowDialogs, serve } from '../testing'
import { browserName } from './browser_name'
import { deedWords, outcome } from './deeds'
import { lineOf, tagsOf } from './tags'
import TokenTable from './TokenTable.vue'
import UserTable from './UserTable.vue'

const ADMIN = {
  id: 'u1', name: 'admin', role: 'admin', created: '2026-03-10T12:00:00Z', seen: null, sessions: 1, tokens: 0,
}
const OTHER = { ...ADMIN, id: 'u2', name: 'li', role: 'viewer' }

beforeEach(() => {
  lang.value = 'en'
  allowDialogs()
  Object.assign(session, { id: 'u1', user: 'admin', role: 'admin' })
})

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['a, b,c', ['a', 'b', 'c']],
  ['机架 A，店铺甲、 店铺甲;x', ['机架 A', '店铺甲', 'x']],
  [' ,， ', []],
])('the line %s is the tags %j', (line, tags) => {
  expect(tagsOf(line)).toEqual(tags)
  expect(tagsOf(lineOf(tags))).toEqual(tags)
})

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge · Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36', 'Chrome · Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari · iPhone'],
  ['Mozilla/5.0 (Linux; Android 14) Chrome/140.0 Mobile Safari/537.36 MicroMessenger/8.0', 'WeChat · Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14.0) Gecko/20100101 Firefox/143.0', 'Firefox · macOS'],
  ['python-httpx2/1.0', ''],
])('%s is called %s', (agent, name) => {
  expect(browserName(agent)).toBe(name)
})

test('what was done is said in words, and as it was asked when there are none', () => {
  expect(deedWords({ action: 'devices.touch', target: '' })).toBe('Touched a phone')
  expect(deedWords({ action: 'new.thing', target: '' })).toBe('new.thing')
  expect([200, 403, 500].map((status) => outcome({ status }).word)).toEqual(['ok', 'refused', 'failed'])
})

test.each([
  ['/devices/10.0.0.7%3A5555', 'devices', '10.0.0.7:5555'],
  ['/people/audit', 'people', 'audit'],
  ['/people', 'people', ''],
  ['/devices/%zz', 'devices', '%zz'],
  ['/chat/abc', 'chat', ''],
])('the place %s is %s with %s', (path, view, part) => {
  expect(place(path)).toMatchObject({ view, part })
})

test('a conversation is changed by its owner, by admins, and when it is nobody\'s by operators', () => {
  expect(mayChange('u2')).toBe(true)
  session.role = 'operator'
  expect([mayChange('u2'), mayChange('u1'), mayChange(null)]).toEqual([false, true, true])
  session.role = 'viewer'
  expect(mayChange('u1')).toBe(false)
})

test('a refused role goes back to what it was', async () => {
  const error = { code: 'last_admin', message: 'the last admin' }
  serve({ 'GET /api/auth/users': { items: [ADMIN, OTHER], next: null }, 'PUT /api/auth/users/u2': [409, { error }] })
  const table = mount(UserTable)
  await flushPromises()
  const roles = table.findAll('select')

  await roles[1]?.setValue('admin')
  await flushPromises()

  expect(roles[0]?.attributes('disabled')).toBeDefined()
  expect((table.findAll('select')[1]?.element as HTMLSelectElement).value).toBe('viewer')
})

test('a list that was refused says why and can be asked again', async () => {
  const error = { code: 'unreachable', message: 'The database is away', hint: 'Wait' }
  const asked = serve({ 'GET /api/auth/users': [503, { error }] })
  const table = mount(UserTable)
  await flushPromises()

  expect(table.get('.error').text()).toContain('The database is away')
  await table.get('.error button').trigger('click')

  expect(asked.filter((each) => each.path === '/api/auth/users')).toHaveLength(2)
})

test('a new token is shown once, and no role above one\'s own is offered', async () => {
  session.role = 'operator'
  const asked = serve({ 'GET /api/auth/tokens': { items: [], next: null }, 'POST /api/auth/tokens': { token: 'pdt_x' } })
  const table = mount(TokenTable)
  await flushPromises()

  await table.get('.bar button').trigger('click')
  const offered = table.findAll('dialog option').map((option) => option.text())
  await table.get('dialog input').setValue(' ci ')
  await table.get('dialog form').trigger('submit')
  await flushPromises()

  expect(offered).toEqual(['Viewer', 'Operator'])
  expect(asked.find((each) => each.method === 'POST')?.body).toEqual({ name: 'ci', role: 'viewer' })
  expect((table.get('dialog input').element as HTMLInputElement).value).toBe('pdt_x')
})
