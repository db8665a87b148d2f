import { html } from 'ghtml'
import { postForm } from './post-form.ts'
import { type Action, type Content, render } from '../content.ts'

interface ConfirmPanel {
  /** Where the form is sent. */
  action: string
  csrf: string
  /** What will stop working, or be different. */
  content: Content
  /** The button's text says what it does, as on the page that led here. */
  confirm: string
  cancel: Action
  /** Something ends that is hard to get back. */
  danger?: boolean
  /** HTML: hidden fields, or a reason to give. */
  fields?: string
}

/** The question before something ends. The page's `<h1>` asks it; this says what follows, and takes the answer. */
export const confirmPanel = (panel: ConfirmPanel): string =>
  html`<section class="card confirm">
    <div>!${render(panel.content)}</div>
    !${postForm(
      panel.action,
      panel.csrf,
      html`!${panel.fields ?? ''}
      <div class="actions">
        <button type="submit" !${panel.danger ? 'class="danger"' : ''}>${panel.confirm}</button>
        <a class="button secondary" href="${panel.cancel.href}">${panel.cancel.label}</a>
      </div>`,
    )}
  </section>`
