/** The page of the interface, at `/docs`: Swagger UI over the OpenAPI document. */
import 'swagger-ui-dist/swagger-ui.css';
import showInterface from 'swagger-ui-dist/swagger-ui-es-bundle.js';

// The theme is that of the system: the page has no settings of its own.
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);

showInterface({
  url: '/api/v1/openapi.json',
  domNode: document.querySelector('#docs'),
  filter: true,
  validatorUrl: null,
});
