import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'

import { lang } from '../i18n'
import { attach, giveBack, pendingOf, takeFiles } from '../stores/attachments'
import { chat } from '../stores/chat'
import { page } from '../stores/page'
import { toasts } from '../stores/toasts'
import { serve } from '../testing'
import AttachmentDraft from './AttachmentDraft.vue'
import AttachmentList from './AttachmentList.vue'

/** A request that answers when the test says so. */
class Asking {
  static made: Asking[] = []
  upload: { onprogress?: (event: object) => void } = {}
  onload = () => {}
  onabort = () => {}
  status = 0
  responseText = ''
  constructor() {
    Asking.made.push(this)
  }
  open() {}
  setRequestHeader() {}
  send() {}
  abort() {
    this.onabort()
  }
  async answer(status: number, body: object) {
    Object.assign(this, { status, responseText: JSON.stringify(body) })
    this.onload()
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

const kept = { id: 'a1', name: 'a.png', mime: 'image/png', size: 2048, url: '/api/artifacts/a1' }
const file = (name: string, size = 5) => {
  const made = new File(['hello'], name)
  Object.defineProperty(made, 'size', { value: size })
  return made
}
let talks = 0

beforeEach(() => {
  lang.value = 'en'
  chat.id = `c${(talks += 1)}`
  Asking.made = []
  toasts.length = 0
  vi.stubGlobal('XMLHttpRequest', Asking)
})

afterEach(() => vi.unstubAllGlobals())

test('a file says how far it is, then that it is there', async () => {
  const draft = mount(AttachmentDraft)

  attach(chat.id, [file('a.png', 2048)])
  Asking.made[0].upload.onprogress?.({ lengthComputable: true, loaded: 1, total: 4 })
  await nextTick()
  const before = draft.get('progress').attributes('value')
  await Asking.made[0].answer(201, kept)

  expect(before).toBe('0.25')
  expect(draft.find('progress').exists()).toBe(false)
  expect(draft.get('img').attributes('src')).toBe(kept.url)
  expect(draft.text()).toContain('2 kB')
})

test('each file has its own error, and only what is there is sent', async () => {
  const draft = mount(AttachmentDraft)

  attach(chat.id, [file('large.bin', 11 * 1024 * 1024), file('full.txt'), file('a.png')])
  await Asking.made[0].answer(507, { error: { code: 'disk_low', message: 'The disk is nearly full.' } })
  await Asking.made[1].answer(201, kept)
  const errors = draft.findAll('[role=alert]').map((error) => error.text())
  const sent = takeFiles(chat.id)

  expect(errors).toEqual(['Larger than 10 MB', 'The disk is nearly full.'])
  expect(sent.map((each) => each.attached?.id)).toEqual(['a1'])
  expect(pendingOf(chat.id)).toEqual([])
})

test('what could not be sent is given back, and what is taken away is let go of', async () => {
  const asked = serve({ 'DELETE /api/agent/attachments/a1': { ok: true } })
  const draft = mount(AttachmentDraft)
  attach(chat.id, [file('a.png'), file('b.txt')])
  await Asking.made[0].answer(201, kept)

  giveBack(chat.id, takeFiles(chat.id))
  await nextTick()
  await draft.get('button').trigger('click')

  expect(asked).toMatchObject([{ method: 'DELETE', path: '/api/agent/attachments/a1' }])
  expect(draft.findAll('.file')).toHaveLength(0)
})

test('a message carries no more than eight', () => {
  attach(chat.id, Array.from({ length: 9 }, (_, n) => file(`${n}.txt`)))

  expect(pendingOf(chat.id)).toHaveLength(8)
  expect(toasts[0].message).toContain('at most 8')
})

test('pictures are enlarged, files downloaded, and names stay text', async () => {
  const evil = { ...kept, id: 'b', name: '<script>.txt', mime: 'text/plain', url: '/api/artifacts/b' }
  const list = mount(AttachmentList, { props: { files: [kept, evil, { ...kept, id: 'c', name: 'old.png', gone: true }] } })

  await list.get('button').trigger('click')

  expect(page.picture?.shots.map((shot) => shot.src)).toEqual([kept.url])
  expect(list.get('a').attributes()).toMatchObject({ href: evil.url, download: '<script>.txt' })
  expect(list.get('a b').text()).toBe('<script>.txt')
  expect(list.get('.gone').text()).toContain('old.png')
})
