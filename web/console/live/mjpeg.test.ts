import { expect, test } from 'vitest'

import { Parts } from './mjpeg'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const text = (part: Uint8Array) => String.fromCharCode(...part)

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
