import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { beforeEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'

import { lang } from '../../i18n'
import { session } from '../../stores/session'
import { serve } from '../../testing'
import { take } from './schema'
import StepEditor from './StepEditor.vue'
import type { Step } from './tree'

const SELECTOR = { $ref: '#/$defs/Selector' }
const PARTS = {
  Selector: { properties: { text: {}, resourceId: {}, instance: {} } },
  click: {
    properties: { type: {}, selector: SELECTOR, alternatives: { type: 'array', items: SELECTOR }, note: { type: 'string' } },
    required: ['type', 'selector'],
  },
  wait: { properties: { type: {}, seconds: { type: 'number' } }, required: ['type', 'seconds'] },
  if_exists: {
    properties: { type: {}, selector: SELECTOR, then: { type: 'array', items: { $ref: '#/$defs/Step' } } },
    required: ['type', 'selector', 'then'],
  },
}
const WAIT: Step = { type: 'wait', seconds: 1 }
const IF: Step = { type: 'if_exists', selector: { text: 'ad' }, then: [{ type: 'click', selector: { text: 'Skip' } }] }

beforeEach(() => {
  lang.value = 'en'
  session.role = 'operator'
  take(PARTS)
  HTMLElement.prototype.hidePopover ??= () => undefined
})

/** Show an editor; what it changes is put back into it, as `v-model` does. */
function show(steps: Step[], more: object = {}): VueWrapper {
  const shown: VueWrapper = mount(StepEditor, {
    attachTo: document.body,
    props: { steps, 'onUpdate:steps': (made: Step[]) => shown.setProps({ steps: made }), ...more },
  })
  return shown
}

const stepsOf = (shown: VueWrapper) => (shown.props() as { steps: Step[] }).steps
const typesOf = (shown: VueWrapper) => stepsOf(shown).map((step) => step.type)

test('a chosen type is added with its form open', async () => {
  const shown = show([WAIT])

  await shown.findAll('[data-type="click"]').at(-1)!.trigger('click')
  await nextTick()

  expect(stepsOf(shown)).toEqual([WAIT, { type: 'click', selector: { text: '' } }])
  await shown.find('.step.open input').setValue('OK')
  expect(stepsOf(shown)[1]).toEqual({ type: 'click', selector: { text: 'OK' } })
  shown.unmount()
})

test('keys move a step past others and into them, and the keyboard goes with it', async () => {
  const shown = show([WAIT, IF])

  await shown.find('[data-path="steps.0"]').trigger('keydown', { key: 'ArrowDown', altKey: true })
  await nextTick()
  const once = typesOf(shown)
  await shown.find('[data-path="steps.1"]').trigger('keydown', { key: 'ArrowRight', altKey: true })
  await nextTick()

  expect(once).toEqual(['if_exists', 'wait'])
  expect((stepsOf(shown)[0]!.then as Step[]).map((step) => step.type)).toEqual(['click', 'wait'])
  expect(document.activeElement?.getAttribute('data-path')).toBe('steps.0.then.1')
  shown.unmount()
})

test('a step is dragged before another', async () => {
  const shown = show([WAIT, IF])
  const [first, second] = shown.findAll('.step')

  await second!.find('.grip').trigger('dragstart')
  await first!.trigger('dragover', { clientY: -1 })
  await first!.trigger('drop')

  expect(typesOf(shown)).toEqual(['if_exists', 'wait'])
  shown.unmount()
})

test('what the server refuses stands at its step and its field', async () => {
  const shown = show([WAIT, IF], { problem: { path: 'steps.1.then.0.selector', message: 'it needs text' } })

  expect(shown.findAll('.step.wrong')).toHaveLength(2)
  await shown.find('[data-path="steps.1.then.0"]').trigger('click')

  expect(shown.find('.step.open fieldset [role=alert]').text()).toBe('it needs text')
  shown.unmount()
})

test('changes are checked by the server, and the newest answer counts', async () => {
  vi.useFakeTimers()
  const refusal = { error: { code: 'invalid', message: 'seconds: too long', path: 'steps.0.seconds' } }
  const asked = serve({ 'POST /api/agent/steps/check': [400, refusal] })
  const shown = show([WAIT])

  await shown.setProps({ steps: [{ type: 'wait', seconds: 9000 }] })
  await vi.advanceTimersByTimeAsync(600)
  vi.useRealTimers()
  await flushPromises()

  expect(asked.map((each) => each.body).filter(Boolean)).toEqual([{ steps: [{ type: 'wait', seconds: 9000 }] }])
  expect(shown.find('.bar .bad').text()).toContain('too long')
  shown.unmount()
})

test('a chosen element goes to its place, the others become alternatives', async () => {
  const shown = show([IF], { picks: true })

  const apply = (shown.vm as unknown as { apply: (path: string, found: object[]) => void }).apply
  apply('steps.0.then.0.selector', [{ resourceId: 'skip' }, { text: 'Skip' }])
  await nextTick()

  expect((stepsOf(shown)[0]!.then as Step[])[0]).toEqual({
    type: 'click', selector: { resourceId: 'skip' }, alternatives: [{ text: 'Skip' }],
  })
  shown.unmount()
})

test('as text, what cannot be read changes nothing and is said with its line', async () => {
  const shown = show([WAIT])
  await shown.find('[aria-pressed]').trigger('click')

  await shown.find('textarea').setValue('[\n{"type": }\n]')
  const said = shown.find('[role=alert]').text()
  await shown.find('textarea').setValue('[{"type": "wait", "seconds": 2}]')

  expect(said).toContain('Line 2')
  expect(stepsOf(shown)).toEqual([{ type: 'wait', seconds: 2 }])
  shown.unmount()
})

test('who may only look is offered nothing that changes', () => {
  const shown = show([IF], { readonly: true })

  expect(shown.findAll('[data-type], .grip, [popover]')).toHaveLength(0)
  expect(shown.findAll('[data-path]')).toHaveLength(2)
  shown.unmount()
})
