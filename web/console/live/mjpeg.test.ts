import { expect, test } from 'vitest'

import { aboutOf, Parts, type Part } from './mjpeg'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const text = (part: Part) => String.fromCharCode(...part.picture)

test('pictures are cut out wherever the network splits the stream', () => {
  const stream = bytes(
    '--b\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\n\r\none11\r\n' +
      '--b\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\n\r\ntwo\r\n',
  )

  for (let size = 1; size < stream.length; size += 1) {
    const parts = new Parts()
    const found: string[] = []
    for (let at = 0; at < stream.length; at += size) {
      found.push(...parts.push(stream.slice(at, at + size)).map(text))
    }
    expect(found).toEqual(['one11', 'two'])
  }
})

test('a part without a length ends with the end mark of a JPEG', () => {
  const parts = new Parts()

  const found = parts.push(bytes('--b\r\nContent-Type: image/jpeg\r\n\r\nabc\xff\xd9\r\n--b\r\nX: 1\r\n\r\nde'))

  expect(found.map(text)).toEqual(['abc\xff\xd9'])
})

test('the head of a part tells what its picture shows', () => {
  const head =
    '--b\r\nContent-Type: image/jpeg\r\nX-Frame: 7\r\nX-Screen: 2400x1080\r\nX-Rotation: 1\r\n' +
    'X-Source: u2\r\nX-Missing: scrcpy\r\nX-Rate: 9.8\r\nX-State: screen_secure'

  expect(aboutOf(head)).toEqual({
    frame: 7,
    screen: { width: 2400, height: 1080 },
    rotation: 1,
    source: 'u2',
    missing: 'scrcpy',
    rate: 9.8,
    state: 'screen_secure',
  })
})

test('a head that tells nothing, or no size yet, is no reason to fail', () => {
  const plain = aboutOf('--b\r\nContent-Type: image/jpeg')
  const early = aboutOf('--b\r\nX-Screen: 0x0\r\nX-Missing: \r\nX-State: capture_failed')

  expect(plain).toMatchObject({ screen: null, source: '', state: 'ok' })
  expect(early).toMatchObject({ screen: null, missing: '', state: 'capture_failed' })
})
