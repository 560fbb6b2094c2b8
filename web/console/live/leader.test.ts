import { expect, test } from 'vitest'

import type { Envelope } from '../api/types'
import { Leader } from './leader'

function leading() {
  const posted: [string | null, string, unknown][] = []
  const unions: string[][] = []
  const leader = new Leader({
    post: (envelope, to) => posted.push([to, envelope.topic, envelope.data]),
    topics: (topics) => unions.push(topics),
  })
  return { leader, posted, unions }
}

const event = (topic: string, data: unknown): Envelope => ({ topic, event: 'x', data })

test('a window that comes late gets the whole run but only the newest state', () => {
  const { leader, posted } = leading()
  leader.want('a', ['run:1', 'devices'])
  for (const n of [1, 2]) leader.receive(event('run:1', n))
  for (const n of [1, 2]) leader.receive(event('devices', n))
  posted.length = 0

  leader.want('b', ['run:1', 'devices'])

  expect(posted).toEqual([['b', 'run:1', 1], ['b', 'run:1', 2], ['b', 'devices', 2]])
})

test('a topic is dropped when the last window that wanted it has gone', () => {
  const { leader, unions } = leading()
  leader.want('a', ['devices'])
  leader.want('b', ['devices', 'run:1'])

  leader.leave('b')

  expect(unions.at(-1)).toEqual(['devices'])
})

test('a window that answers no roll call is forgotten', () => {
  const { leader, unions } = leading()
  leader.want('a', ['devices'])
  leader.want('crashed', ['run:1'])
  leader.prune()
  leader.want('a', ['devices'])

  leader.prune()

  expect(unions.at(-1)).toEqual(['devices'])
})
